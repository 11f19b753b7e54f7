// Answers for the page's files when there is no connection. With one, they always come from the service, so the page is
// never older than the program. The API and the streams don't pass through here.

const patience = 4000;  // milliseconds, after which a network that doesn't answer counts as none

addEventListener("install", (event) => {
  event.waitUntil(keepFiles().then(() => skipWaiting()));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin || !/^\/([\w-]+\.\w+)?$/.test(pathname)) return;
  event.respondWith(answer(event.request, pathname));
});

// The page names its files, but for the shared worker.
async function keepFiles() {
  const page = await (await fetch("/")).text();
  const files = [...page.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => path);
  await (await caches.open("files")).addAll(["/", "/worker.js", ...files]);
}

async function answer(request, path) {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(patience) });
    // The path alone: the token that an address may have isn't kept.
    if (response.ok) await (await caches.open("files")).put(path, response.clone());
    // The token is another one by now, so what was seen with the former one is removed.
    if (response.status === 401) await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
    return response;
  } catch {
    return await caches.match(path) ?? Response.error();
  }
}
