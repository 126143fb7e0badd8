// Elements, and how numbers and times are written.

const { h, render, Component, Fragment } = window.preact;
const { useState, useEffect, useRef, useMemo } = window.preactHooks;

const plain = new Intl.NumberFormat("en-US");
const dateTime = new Intl.DateTimeFormat(undefined, {
  year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "short",
});
const hourMinute = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const hourMinuteSecond = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const monthDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

function number(value) {
  return plain.format(value);
}

/** A count that may have stopped: 100,000+ */
function count(value) {
  return number(value.jobs) + (value.more ? "+" : "");
}

/** Large numbers in little room: 1.2M */
function short(value) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e4, "k"]]) {
    if (value >= size) {
      const scaled = value / (unit === "k" ? 1e3 : size);
      return (scaled >= 100 ? Math.round(scaled) : Math.round(scaled * 10) / 10) + unit;
    }
  }
  return number(value);
}

/** A time in words: 3 min 20 s */
function duration(seconds) {
  const s = Math.max(0, seconds);
  if (s < 1) {
    return Math.round(s * 1000) + " ms";
  }
  if (s < 60) {
    return (s < 10 ? Math.round(s * 10) / 10 : Math.round(s)) + " s";
  }
  if (s < 3600) {
    return Math.floor(s / 60) + " min" + (s < 600 && Math.floor(s % 60) ? " " + Math.floor(s % 60) + " s" : "");
  }
  if (s < 48 * 3600) {
    return Math.floor(s / 3600) + " h" + (Math.floor(s % 3600 / 60) ? " " + Math.floor(s % 3600 / 60) + " min" : "");
  }
  return Math.floor(s / 86400) + " days";
}

function fullTime(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? String(text) : dateTime.format(time);
}

function relative(text, now) {
  const seconds = (new Date(text) - now) / 1000;
  if (Math.abs(seconds) < 1) {
    return "now";
  }
  return seconds > 0 ? "in " + duration(seconds) : duration(-seconds) + " ago";
}

function classes(...names) {
  return names.filter(Boolean).join(" ");
}

function plural(n, one, many) {
  return number(n) + " " + (n === 1 ? one : many || one + "s");
}
