// What this browser keeps for the time without a connection: the page's files and the first rows of each view. Browsers
// offer that only over https or on the machine itself.

export const canKeep = isSecureContext && "serviceWorker" in navigator && "caches" in globalThis;

const place = (view) => `/kept/${view}`;

// Installs the worker that answers for the page's files without a connection.
export function install() {
  if (canKeep) navigator.serviceWorker.register("/service-worker.js").catch(() => {});  // the page works without it
}

// Keeps a view's rows as those of now.
export async function keep(view, sections) {
  if (!canKeep) return;
  const text = JSON.stringify({ at: new Date(), sections });
  await (await caches.open("lists")).put(place(view), new Response(text)).catch(() => {});  // the disk may be full
}

// The rows that were kept of a view, and when: {at, sections}. Undefined if there are none.
export async function kept(view) {
  return canKeep ? (await (await caches.open("lists")).match(place(view)))?.json() : undefined;
}

// Removes all that is kept: whoever uses this browser next may not be allowed to see it.
export async function forget() {
  if (!canKeep) return;
  await Promise.all(["lists", "files"].map((name) => caches.delete(name)));
  for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
}
