/** What only the page at `/docs` looks like. `BASE_STYLE` comes before it. */
export const DOCS_STYLE = /* css */ `
:root {
  --change: #7a4a00;
}

@media (prefers-color-scheme: dark) {
  :root {
    --change: #f0bd6b;
  }
}

body {
  overflow-wrap: break-word;
}

header {
  display: flex;
  flex-wrap: wrap;
  gap: 0 2rem;
  justify-content: space-between;
  padding: 0.5rem 1.5rem;
  border-bottom: 1px solid var(--line);
}

header p {
  margin: 0.25rem 0;
}

.title {
  font-weight: bold;
}

nav,
main {
  padding: 1rem 1.5rem;
}

nav {
  border-bottom: 1px solid var(--line);
  font-size: 0.875rem;
}

nav p {
  margin: 0.75rem 0 0.25rem;
  font-weight: bold;
}

nav ul {
  margin: 0;
  padding: 0;
  list-style: none;
}

nav a {
  display: block;
  padding: 0.25rem 0;
  text-decoration: none;
}

nav a:hover {
  text-decoration: underline;
}

main {
  min-width: 0;
  max-width: 60rem;
}

@media (min-width: 64rem) {
  body {
    display: grid;
    grid-template-columns: 24rem minmax(0, 1fr);
    grid-template-rows: auto 1fr;
  }

  header {
    grid-column: 1 / -1;
  }

  nav {
    position: sticky;
    top: 0;
    align-self: start;
    max-height: 100vh;
    overflow-y: auto;
    border-bottom: 0;
  }
}

h1,
h2,
h3,
h4,
h5 {
  line-height: 1.25;
}

h2 {
  margin-top: 2.5rem;
}

h4 {
  margin: 1.5rem 0 0.5rem;
  font-size: 1rem;
}

h5 {
  margin: 0;
  font-size: 0.9375rem;
}

code,
pre {
  font-family: ui-monospace, "DejaVu Sans Mono", monospace;
  font-size: 0.875rem;
}

pre {
  margin: 0.5rem 0;
  padding: 0.75rem 1rem;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  background: var(--raised);
  border: 1px solid var(--line);
  border-radius: 0.25rem;
}

summary {
  cursor: pointer;
}

.operation {
  margin: 0.75rem 0;
  border: 1px solid var(--line);
  border-radius: 0.25rem;
}

.operation > summary {
  padding: 0.625rem 1rem;
  background: var(--raised);
}

.operation h3 {
  display: inline;
  margin: 0;
  font-size: 1rem;
}

.about {
  color: var(--quiet);
}

.inside {
  padding: 0 1rem 1rem;
  scroll-margin-top: 8rem;
}

.method {
  font-size: 0.8125rem;
  font-weight: bold;
  color: var(--change);
}

.method.get,
.method.head {
  color: var(--good);
}

.method.delete {
  color: var(--bad);
}

.path {
  font-size: 0.875rem;
}

.answer {
  margin: 0.75rem 0;
  padding: 0.25rem 0 0.25rem 1rem;
  border-left: 3px solid var(--line);
}

.status {
  color: var(--bad);
}

.status.s2 {
  color: var(--good);
}

.answer p,
.members p,
.members ul {
  margin: 0.25rem 0;
}

.members {
  padding-left: 1.25rem;
}

.name {
  font-weight: bold;
}

.type {
  color: var(--quiet);
  font-size: 0.875rem;
}
`
