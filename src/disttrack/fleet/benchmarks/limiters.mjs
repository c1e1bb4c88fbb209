// Ask a limiter of Node about requests, with its dates and timers replaced:
// node limiters.mjs PACKAGE NAME LIMIT MILLISECONDS STEP < steps, a list in JSON. Prints the
// steps in which it admitted. Packages are those of the folder in which it is started; Upstash's asks a Redis at
// REDIS_PORT, whose keys have the number of their window and are not expected to expire.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { mock } from "node:test";

const BEGIN = 10 ** 12;
const [pack, name, ...numbers] = process.argv.slice(2);
const [limit, window, step] = numbers.map(Number);
const need = createRequire(`${process.cwd()}/`);
const settled = setImmediate; // not replaced: it waits for what is promised

mock.timers.enable({ apis: ["Date", "setTimeout", "setInterval"], now: BEGIN });

const limiters = {
  "rate-limiter-flexible": ({ RateLimiterMemory }) => {
    const blocks = name === "blockDuration" ? { blockDuration: window / 1000 } : {};
    const limiter = new RateLimiterMemory({ points: limit, duration: window / 1000, ...blocks });
    return () => limiter.consume("one").then(() => true, () => false);
  },
  "express-rate-limit": ({ rateLimit }) => {
    const limiter = rateLimit({ windowMs: window, limit, validate: false, keyGenerator: () => "one" });
    const answer = { setHeader() {}, status: () => answer, send() {} };
    return async () => {
      let admitted = false;
      await limiter({ headers: {}, app: { get() {} } }, answer, () => { admitted = true; });
      return admitted;
    };
  },
  "@upstash/ratelimit": ({ Ratelimit }) => {
    const redis = new (need("ioredis"))({ port: process.env.REDIS_PORT });
    const plain = (script, keys, args) => redis.eval(script.replace(/^#!lua.*\n/, ""), keys.length, ...keys, ...args);
    const store = { eval: plain, evalsha: () => Promise.reject(new Error("NOSCRIPT")) };
    const span = `${window} ms`;
    const limiter = name === "tokenBucket"
      ? Ratelimit.tokenBucket(limit / (window / 1000), "1 s", limit)
      : Ratelimit[name](limit, span);
    const ratelimit = new Ratelimit({ redis: store, limiter, ephemeralCache: false });
    return () => ratelimit.limit("one").then(({ success }) => success);
  },
  bottleneck: (Bottleneck) => {
    const tenth = { reservoirIncreaseAmount: 1, reservoirIncreaseInterval: window / limit, reservoirIncreaseMaximum: limit };
    const whole = { reservoirRefreshAmount: limit, reservoirRefreshInterval: window };
    const limiter = new Bottleneck({ reservoir: limit, ...(name === "increase" ? tenth : whole) });
    return async () => {
      const admitted = await limiter.check();
      if (admitted) limiter.schedule(async () => {});
      return admitted;
    };
  },
};

const ask = limiters[pack](need(pack));
const admitted = [];
for (const at of JSON.parse(readFileSync(0))) {
  mock.timers.tick(BEGIN + (at - 1) * step - Date.now());
  let asking = true;
  ask().then((answer) => {
    asking = false;
    if (answer) admitted.push(at);
  });
  for (let more = 2; asking || more > 0; more -= asking ? 0 : 1) {  // it may wait for timers of no time
    mock.timers.tick(0);
    await new Promise(settled);
  }
}
console.log(JSON.stringify(admitted));
process.exit(0);
