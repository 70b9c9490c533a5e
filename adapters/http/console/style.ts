/** What only the console looks like. `BASE_STYLE` comes before it. */
export const CONSOLE_STYLE = /* css */ `
:root {
  --bar: #2b6cb8;
}

@media (prefers-color-scheme: dark) {
  :root {
    --bar: #6fa8ec;
  }
}

header {
  display: flex;
  flex-wrap: wrap;
  gap: 0 2rem;
  padding: 0.5rem 1rem;
  border-bottom: 1px solid var(--line);
  font-size: 0.875rem;
}

header p {
  margin: 0.25rem 0;
}

.title {
  font-weight: bold;
}

nav ul {
  display: flex;
  flex-wrap: wrap;
  gap: 0 0.5rem;
  margin: 0;
  padding: 0.25rem 0.5rem;
  list-style: none;
  border-bottom: 1px solid var(--line);
}

nav a {
  display: block;
  padding: 0.625rem 0.5rem;
}

nav [aria-current] {
  color: inherit;
  font-weight: bold;
  text-decoration: none;
}

main {
  max-width: 90rem;
  padding: 1rem;
}

h1 {
  margin: 0 0 1rem;
  font-size: 1.5rem;
  line-height: 1.25;
}

h2 {
  margin: 2rem 0 0.5rem;
  font-size: 1.125rem;
  line-height: 1.25;
}

.good {
  color: var(--good);
}

.bad,
.error {
  color: var(--bad);
}

.error {
  margin: 0;
  font-weight: bold;
}

.hint {
  margin: 0;
  color: var(--quiet);
  font-size: 0.875rem;
}

.answers,
.notice {
  max-width: 72rem;
  margin: 1rem 0;
  padding: 0.75rem 1rem;
  background: var(--raised);
  border-left: 0.25rem solid var(--edge);
}

.answers {
  list-style: none;
}

.answers li + li {
  margin-top: 0.5rem;
}

.notice p {
  margin: 0;
}

.charts {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
  gap: 1rem 2rem;
}

figure {
  min-width: 0;
  margin: 0;
}

figcaption {
  font-weight: bold;
}

figure svg {
  display: block;
  width: 100%;
  max-width: 34rem;
}

svg text {
  fill: var(--quiet);
  font-size: 11px;
  text-anchor: middle;
}

svg .y {
  text-anchor: end;
}

.grid line {
  stroke: var(--line);
}

.grid .base {
  stroke: var(--edge);
}

svg rect {
  fill: var(--bar);
}

.amount {
  width: 8rem;
  height: 0.75rem;
}

summary {
  padding: 0.5rem 0;
  cursor: pointer;
}

td summary {
  padding: 0.125rem 0;
}

.scroll {
  max-width: 100%;
  overflow-x: auto;
}

table {
  border-collapse: collapse;
  font-size: 0.875rem;
  overflow-wrap: normal;
}

/* A user chooses the e-mail: a long one must not push the other columns out of sight. */
td {
  max-width: min(20rem, 55vw);
  overflow-wrap: break-word;
}

td:last-child {
  max-width: min(48rem, 75vw);
}

th,
td {
  padding: 0.375rem 1rem 0.375rem 0;
  border-bottom: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
}

time,
th {
  white-space: nowrap;
}

@media (max-width: 40rem) {
  td time {
    display: inline-block;
    width: 5.75rem; /* of a date: the time comes below it */
    white-space: normal;
  }
}

code {
  font-family: ui-monospace, "DejaVu Sans Mono", monospace;
  font-size: 0.875em;
}

td > code,
td > .good,
td > .bad {
  white-space: nowrap;
}

dl {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 16rem), 1fr));
  gap: 0.75rem 1.5rem;
  margin: 1rem 0;
}

dt {
  color: var(--quiet);
  font-size: 0.875rem;
}

dd {
  margin: 0;
}

dl.wide {
  grid-template-columns: 1fr;
}

form {
  margin: 1rem 0;
}

.filters {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr));
  gap: 0.5rem 1rem;
  align-items: start;
}

.actions {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1rem;
  margin: 1rem 0;
  padding: 0;
  list-style: none;
}

.actions a,
.pages a {
  display: inline-block;
  padding: 0.625rem 0;
}

.pages {
  display: flex;
  flex-wrap: wrap;
  gap: 0 1.5rem;
}

button.final {
  background: var(--bad);
  border-color: var(--bad);
}

details code {
  display: block;
  max-width: 40rem;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
`
