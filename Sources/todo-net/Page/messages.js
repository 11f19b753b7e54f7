// What the page says in a sentence: messages that go by themselves, and problems beside their fields.

const $ = (id) => document.getElementById(id);

let fading;
export function toast(text, action = "Close", run = undefined) {
  const [span, button] = $("toast").children;
  span.textContent = text;
  button.textContent = action;
  button.onclick = () => { $("toast").hidden = true; run?.(); };
  $("toast").hidden = false;
  fade();
}

// A message with a button stays while somebody is about to press it.
function fade() {
  clearTimeout(fading);
  fading = setTimeout(() => {
    if ($("toast").matches(":hover, :focus-within")) fade();
    else $("toast").hidden = true;
  }, 8000);
}

export function problem(id, text = "") {
  $(id).textContent = text;
  $(id).hidden = !text;
}

export function banner(text = "") {
  if ($("banner").textContent !== text) $("banner").textContent = text;
  $("banner").hidden = !text;
}
