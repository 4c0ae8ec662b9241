// Numbers in words
const count = (n) => Number(n).toLocaleString("en-US", { maximumFractionDigits: 6 });
const many = (n, one, more) => `${count(n)} ${n === 1 ? one : more}`;
const digits = (x) => {
  const a = Math.abs(x);
  return a === 0 ? "0" : a >= 100 ? Math.round(x).toLocaleString("en-US") : a >= 10 ? x.toFixed(1) : x.toFixed(2);
};
const time = (ms) => {
  if (ms === null || ms === undefined) { return "—"; }
  const a = Math.abs(ms);
  if (a === 0) { return "0"; }
  if (a >= 1000) { return `${digits(ms / 1000)} s`; }
  if (a >= 1) { return `${digits(ms)} ms`; }
  return a >= 0.001 ? `${digits(ms * 1000)} µs` : `${Math.round(ms * 1e6)} ns`;
};
const bytes = (n) => {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (n >= 1000 && at < 4) { n /= 1000; at += 1; }
  return at ? `${digits(n)} ${units[at]}` : `${n} ${n === 1 ? "byte" : "bytes"}`;
};
const short = (n) => {
  for (const [size, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (n >= size) { return `${+(n / size).toPrecision(3)}${unit}`; }
  }
  return String(n);
};
const percent = (x) => `${x >= 0.0995 ? Math.round(x * 100) : (x * 100).toFixed(1)} %`;
const lines = ([first, last]) => (first === last ? `line ${first}` : `lines ${first} to ${last}`);
