// The picture of a game up to a row: arrows, the site that is fed, estimate against truth, and the strips below.

const HEAD = 34, STRIP = 46, GUTTER = 62;

class Picture {
  constructor(canvas, game) {
    this.canvas = canvas;
    this.game = game;
    this.context = canvas.getContext("2d");
    this.rowHeight = 16;
    this.resize();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    this.width = Math.max(200, box.width);
    this.height = Math.max(200, box.height);
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const chart = Math.min(230, Math.max(88, this.width * .25));
    this.server = GUTTER + 10;
    this.left = this.server + 22;
    this.right = this.width - chart - 14;
    this.chartLeft = this.right + 10;
    this.chartRight = this.width - 8;
    this.bottom = this.height - 2 * STRIP - 8;
    this.columnWidth = (this.right - this.left) / this.game.columns.length;
    this.readColours();
  }

  readColours() {
    this.colours = { paper: house.colour("--ground"), bad: house.colour("--fail") };
    for (const name of ["ink", "quiet", "line", "faint", "fed", "band", "tint", "accent", "held"])
      this.colours[name] = house.colour(`--${name}`);
    this.dark = house.dark();
  }

  x(column) { return this.left + (column + .5) * this.columnWidth; }

  // Where a quotient stands in the chart, and whether it is beyond its edges.
  place(quotient) {
    const reach = 2.5 * (this.game.alpha || .1);
    const share = (quotient - 1 + reach) / (2 * reach);
    return this.chartLeft + Math.min(1, Math.max(0, share)) * (this.chartRight - this.chartLeft);
  }

  draw(at) {
    const c = this.context, game = this.game, present = Math.floor(at);
    c.clearRect(0, 0, this.width, this.height);
    c.fillStyle = this.colours.paper;
    c.fillRect(0, 0, this.width, this.height);
    const height = this.rowHeight, room = this.bottom - HEAD, fits = Math.ceil(room / height) + 1;
    const scrolled = Math.max(0, (at + 1) * height - room);
    const first = Math.max(0, Math.min(present, Math.floor(scrolled / height))), last = present;
    const y = (row) => HEAD + (row + .5) * height - scrolled;
    c.save();
    c.beginPath();
    c.rect(0, HEAD, this.width, room);
    c.clip();
    this.drawGround(first, last, y, present);
    for (let row = Math.max(0, last - fits); row <= last; row++) this.drawMessages(row, y(row));
    this.drawChart(first, last, y);
    c.restore();
    this.drawHead();
    this.drawStrips(present);
  }

  drawGround(first, last, y, present) {
    const c = this.context, game = this.game, height = this.rowHeight, every = Math.ceil(15 / height);
    c.fillStyle = this.colours.faint;
    if (this.columnWidth >= 6)
      for (let column = 0; column < game.columns.length; column++) c.fillRect(this.x(column), HEAD, 1, this.bottom - HEAD);
    c.fillStyle = this.colours.line;
    c.fillRect(this.server, HEAD, 1.5, this.bottom - HEAD);
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (let row = first; row <= last; row++) {
      const top = y(row) - height / 2;
      if (game.bad.has(row)) {
        c.fillStyle = this.colours.tint;
        c.fillRect(this.chartLeft, top, this.chartRight - this.chartLeft, height);
      }
      c.fillStyle = this.colours.fed;
      if (game.fed[row] >= 0) c.fillRect(this.x(game.fed[row]) - Math.max(1.5, this.columnWidth / 2), top, Math.max(3, this.columnWidth), height);
      const isFirst = game.first && game.first[0] === row;
      if (row === present || isFirst || row % every === 0 && Math.abs(y(present) - y(row)) > 13) {
        c.fillStyle = game.bad.has(row) ? this.colours.bad : row === present ? this.colours.ink : this.colours.quiet;
        c.fillText((game.bad.has(row) ? "! " : "") + count(game.step[row]), GUTTER, y(row));
      }
      if (isFirst) {
        c.fillStyle = this.colours.bad;
        c.fillRect(GUTTER + 3, top, this.width - GUTTER - 3, 1.5);
      }
    }
    c.strokeStyle = this.colours.accent;
    c.lineWidth = 1;
    c.strokeRect(this.server - 6, y(present) - height / 2 + .5, this.chartRight - this.server + 6, Math.max(3, height - 1));
  }

  drawMessages(row, middle) {
    const groups = this.game.rowGroups[row], c = this.context;
    const spread = Math.min(5, this.rowHeight * .8 / groups.length);
    groups.forEach((group, place) => {
      const look = this.game.kinds[group.kind], y = middle + (place - (groups.length - 1) / 2) * spread;
      const near = group.up && group.lost ? (this.server + this.x(Math.min(...group.columns))) / 2 : this.server;
      const back = group.lost && !group.up ? .3 * this.columnWidth : 0;
      c.strokeStyle = c.fillStyle = this.dark ? look.dark : look.light;
      c.lineWidth = Math.max(...group.messages) > 1 ? 2.2 : 1.3;
      c.setLineDash(look.dash);
      c.beginPath();
      c.moveTo(near, y);
      c.lineTo(this.x(group.farthest) - back, y);
      c.stroke();
      c.setLineDash([]);
      const size = Math.min(5, Math.max(2, this.rowHeight * .28));
      c.beginPath();
      const end = group.lost ? this.cross : this.head;
      if (group.up) {
        end.call(this, near, y, -size);
        for (const column of group.columns) this.dot(this.x(column), y, size * .62);
      } else {
        this.dot(this.server, y, size * .62);
        for (const column of group.columns) end.call(this, this.x(column) - back, y, size);
      }
      c.fill();
      if (this.rowHeight >= 12 && groups.length <= 3) {
        c.font = "bold 11px system-ui, sans-serif";
        c.textAlign = "left";
        const left = near + 6 + 9 * place;
        c.fillStyle = this.colours.paper;
        c.fillRect(left - 1, middle - 6, 9, 12);
        c.fillStyle = this.dark ? look.dark : look.light;
        c.fillText(look.letter, left, middle);
      }
    });
  }

  head(x, y, size) {
    const c = this.context;
    c.moveTo(x, y);
    c.lineTo(x - size * 1.6, y - Math.abs(size) * .8);
    c.lineTo(x - size * 1.6, y + Math.abs(size) * .8);
    c.closePath();
  }

  cross(x, y, size) {
    const path = new Path2D();
    for (const side of [-size, size]) {
      path.moveTo(x - size, y - side);
      path.lineTo(x + size, y + side);
    }
    this.context.stroke(path);
  }

  dot(x, y, radius) {
    this.context.moveTo(x + radius, y);
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
  }

  drawChart(first, last, y) {
    const c = this.context, game = this.game, height = this.rowHeight;
    if (game.alpha) {
      c.fillStyle = this.colours.band;
      const from = this.place(1 - game.alpha), to = this.place(1 + game.alpha);
      c.fillRect(from, y(first) - height / 2, to - from, (last - first + 1) * height);
      c.strokeStyle = this.colours.quiet;
      c.lineWidth = 1;
      c.strokeRect(from, HEAD - 2, to - from, this.bottom - HEAD + 4);
    }
    c.fillStyle = this.colours.quiet;
    c.fillRect(this.place(1), HEAD, 1, this.bottom - HEAD);
    c.fillStyle = c.strokeStyle = this.colours.accent;
    c.globalAlpha = .4;
    for (let row = first; row <= last; row++) {
      const from = this.place(game.low[row]);
      c.fillRect(from, y(row) - Math.max(1, height * .3), Math.max(1, this.place(game.high[row]) - from), Math.max(2, height * .6));
    }
    c.globalAlpha = 1;
    c.lineWidth = 1.6;
    c.beginPath();
    for (let row = first; row <= last; row++) c.lineTo(this.place(game.quotient[row]), y(row));
    c.stroke();
    c.fillRect(this.place(game.quotient[last]) - 3, y(last) - 3, 6, 6);
  }

  drawHead() {
    const c = this.context, game = this.game;
    c.fillStyle = this.colours.paper;
    c.fillRect(0, 0, this.width, HEAD - 2);
    c.fillStyle = this.colours.quiet;
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "right";
    c.fillText("step", GUTTER, HEAD - 10);
    c.textAlign = "center";
    c.fillText("server", this.server + 2, 8);
    const wide = Math.max(...game.columns.map((name) => c.measureText(name).width)) + 8;
    const every = Math.max(1, Math.ceil(wide / this.columnWidth));
    for (let column = 0; column < game.columns.length; column += every) c.fillText(game.columns[column], this.x(column), HEAD - 10);
    if (this.right - this.left > 90) c.fillText("sites", (this.left + this.right) / 2, 8);
    c.fillText(game.chart, (this.chartLeft + this.chartRight) / 2, 8);
    c.fillText("1", this.place(1), HEAD - 10);
    if (game.alpha) {
      c.fillText(this.chartRight - this.chartLeft > 110 ? "1−α" : "−α", this.place(1 - game.alpha), HEAD - 10);
      c.fillText(this.chartRight - this.chartLeft > 110 ? "1+α" : "+α", this.place(1 + game.alpha), HEAD - 10);
    }
    c.fillStyle = this.colours.line;
    c.fillRect(0, HEAD - 2, this.width, 1);
  }

  drawStrips(present) {
    this.game.sumTo(present);
    this.drawStrip(this.bottom + 4, this.game.sitesWords, "words", this.colours.ink);
    const held = this.game.heldBy(present);
    if (held) this.drawStrip(this.bottom + STRIP + 4, held, "unreported", this.colours.held);
  }

  drawStrip(top, values, name, colour) {
    const c = this.context, most = Math.max(1, ...values), room = STRIP - 10, width = Math.max(1, this.columnWidth * .8);
    c.fillStyle = this.colours.line;
    c.fillRect(this.left, top + room, this.right - this.left, 1);
    c.fillStyle = colour;
    for (let column = 0; column < values.length; column++) {
      const height = room * values[column] / most;
      c.fillRect(this.x(column) - width / 2, top + room - height, width, height);
    }
    c.fillStyle = this.colours.quiet;
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "right";
    c.textBaseline = "alphabetic";
    c.fillText(name, this.left - 6, top + room);
    c.fillText(`most ${count(Math.max(0, ...values))}`, this.left - 6, top + room - 14);
  }
}
