"use strict";
// A game by rows: what was written by page.py, made ready to be asked for at any row.

const count = (number) => number.toLocaleString("en", { maximumFractionDigits: 2 });
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

class Game {
  constructor(data, steps) {
    Object.assign(this, data);
    this.rows = steps.length;
    this.step = steps;
    this.bad = new Set(data.failing);
    this.rowGroups = Array.from({ length: this.rows }, () => []);
    const { row, column, up, kind, lost, messages, words } = data.arrows;
    this.wordsTo = new Float64Array(this.rows);
    this.messagesTo = new Float64Array(this.rows);
    for (let i = 0; i < row.length; i++) {
      const groups = this.rowGroups[row[i]];
      let group = groups.find((one) => one.kind === kind[i] && one.up === up[i] && one.lost === lost[i]);
      if (!group) groups.push(group = { kind: kind[i], up: up[i], lost: lost[i], columns: [], messages: [], words: 0, farthest: 0 });
      group.columns.push(column[i]);
      group.messages.push(messages[i]);
      group.words += words[i];
      group.farthest = Math.max(group.farthest, column[i]);
      this.wordsTo[row[i]] += words[i];
      this.messagesTo[row[i]] += messages[i];
    }
    for (let r = 1; r < this.rows; r++) {
      this.wordsTo[r] += this.wordsTo[r - 1];
      this.messagesTo[r] += this.messagesTo[r - 1];
    }
    this.sitesWords = new Float64Array(data.columns.length);
    this.kindsWords = new Float64Array(data.kinds.length);
    this.summed = -1;
    this.arrow = 0;
    this.unreported = null;
    this.lastMove = new Int32Array(this.rows).fill(-1);
    for (let r = 0, last = -1; r < this.rows; r++) this.lastMove[r] = last = r in data.moves ? r : last;
  }

  // Fill in the items that each column holds unreported; the page has them deflated.
  async unpack() {
    const bytes = Uint8Array.from(atob(this.held), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const table = new Int32Array(await new Response(stream).arrayBuffer());
    const width = this.columns.length;
    for (let i = width; i < table.length; i++) table[i] += table[i - width];
    this.unreported = table;
  }

  // The words of each column and kind up to a row.
  sumTo(target) {
    const { row, column, kind, words } = this.arrows;
    if (target < this.summed) {
      this.sitesWords.fill(0);
      this.kindsWords.fill(0);
      this.arrow = 0;
    }
    for (; this.arrow < row.length && row[this.arrow] <= target; this.arrow++) {
      this.sitesWords[column[this.arrow]] += words[this.arrow];
      this.kindsWords[kind[this.arrow]] += words[this.arrow];
    }
    this.summed = target;
  }

  heldBy(r) {
    if (!this.unreported) return null;
    const width = this.columns.length;
    return this.unreported.subarray(r * width, (r + 1) * width);
  }

  heldIn(r) {
    const held = this.heldBy(r);
    return held ? held.reduce((sum, one) => sum + one, 0) : null;
  }

  error(r) {
    const away = this.quotient[r] - 1;
    if (Math.abs(away) > 1e5) return "beyond all bounds";
    const sign = away < 0 ? "−" : "+";
    const percent = `${sign}${(100 * Math.abs(away)).toFixed(2)} %`;
    if (!this.alpha) return percent;
    const over = Math.abs(away / this.alpha);
    // 1.00 says on neither side of alpha where it lies
    return `${percent}, ${sign}${over.toFixed(Math.abs(over - 1) < 0.005 ? 4 : 2)} α`;
  }

  site(column) {
    const name = this.columns[column];
    return name.includes("-") ? `sites ${name}` : `site ${name}`;
  }

  // The messages of a row in words.
  messagesOf(r) {
    return this.rowGroups[r].map((group) => {
      const some = group.columns.length;
      const all = some === this.columns.length && some > 1;
      const who = all ? "all sites" : some === 1 ? this.site(group.columns[0]) : `${some} ${this.columns[0].includes("-") ? "columns" : "sites"}`;
      const number = group.messages.reduce((sum, one) => sum + one, 0);
      const what = `${number > 1 ? `${count(number)} times ` : ""}“${this.kinds[group.kind].name}”${group.lost ? ", lost" : ""}`;
      return group.up ? `${who} to the server: ${what}` : `the server to ${who}: ${what}`;
    }).join("; ");
  }

  ended(r) {
    return r > 0 && this.step[r] > this.steps && this.step[r - 1] >= this.steps;
  }

  // The adversary's last move at a row; at the first failure, the sentence on it.
  moveAt(r) {
    if (this.first && this.first[0] === r) return this.first[1];
    const move = this.lastMove[r];
    if (this.ended(r)) return "This game is over.";
    if (move < 0) return "";
    return move === r ? this.moves[move] : `Since step ${count(this.step[move])}: ${this.moves[move]}`;
  }

  // All of a row in words, for those who hear the page.
  aloud(r) {
    const parts = [this.messagesOf(r), `estimate ${this.output[r]}, truth ${this.items[r]}, error ${this.error(r)}`];
    if (this.bad.has(r)) parts.push("fails");
    parts.push(plural(this.wordsTo[r], "word") + " so far");
    return `${parts.filter(Boolean).join("; ")}. ${this.moveAt(r)}`;
  }
}
