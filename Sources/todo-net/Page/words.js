// The words for dates and sections. Days are those of this browser.

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
export const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text);

// A day without a time is local; Date would read it as one of UTC.
const read = (text) => new Date(isDay(text) ? text + "T00:00" : text);
const ahead = (date) => Math.round((midnight(date) - midnight(new Date())) / 86_400_000);
const clock = (date) => `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`;

// "4 Dec", "Fri 4 Dec", "4 Dec 2031"
function plain(date, weekday = "") {
  const year = date.getFullYear() === new Date().getFullYear() ? "" : ` ${date.getFullYear()}`;
  return `${weekday && weekday + " "}${date.getDate()} ${months[date.getMonth()]}${year}`;
}

// "today 9:15", "tomorrow", "Friday", "4 Dec"
export function dayWords(text) {
  const date = read(text), days = ahead(date);
  const day = days === 0 ? "today" : days === 1 ? "tomorrow" : days === -1 ? "yesterday"
    : days > 1 && days < 7 ? weekdays[date.getDay()] : plain(date);
  return isDay(text) ? day : `${day} ${clock(date)}`;
}

// The same beside rows of a day's section, whose heading has the day: only the time.
export const timeWords = (text) => (isDay(text) ? "" : clock(read(text)));

// Whether a section is of a day before today.
export const isPast = (name) => isDay(name) && ahead(read(name)) < 0;

// "late", "now" or "": how a due date is shown.
export function urgency(item) {
  if (!item.due || item.done) return "";
  const date = read(item.due);
  return (isDay(item.due) ? ahead(date) < 0 : date < new Date()) ? "late" : ahead(date) === 0 ? "now" : "";
}

// "Fri 4 Dec 9:15"
export function momentWords(text) {
  const date = read(text);
  return plain(date, weekdays[date.getDay()].slice(0, 3)) + (isDay(text) ? "" : ` ${clock(date)}`);
}

// "every 3 days", "every month after done"
export const repeatWords = (every) => `every ${every.replace(/(\d)([a-z])/g, "$1 $2").replaceAll("-", " ")}`;

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// The heading of a section: the name of a list, or a day or a word of the view.
export function sectionWords(name, view) {
  if (["list", "done", "tag"].includes(view) && name !== "untagged") return view === "tag" ? `@${name}` : name;
  if (!isDay(name)) return capital(name);
  const date = read(name), days = ahead(date);
  const day = plain(date, days >= 0 && days < 7 ? weekdays[date.getDay()] : weekdays[date.getDay()].slice(0, 3));
  return days === 0 ? `Today, ${day}` : days === 1 ? `Tomorrow, ${day}` : day;
}
