/** What only the pages for people look like. `BASE_STYLE` comes before it. */
export const PAGES_STYLE = /* css */ `
header,
main {
  max-width: 30rem;
  margin: 0 auto;
  padding: 1rem;
}

header p {
  margin: 0;
  font-weight: bold;
}

h1 {
  margin: 0 0 1rem;
  font-size: 1.5rem;
  line-height: 1.25;
}

h2 {
  margin: 0 0 0.5rem;
  font-size: 1.125rem;
  line-height: 1.25;
}

.summary {
  margin: 1rem 0;
  padding: 1rem;
  background: var(--raised);
  border-left: 0.25rem solid var(--bad);
}

.summary p,
.summary ul {
  margin: 0;
}

.summary ul {
  padding-left: 1.25rem;
}

.summary a,
.error {
  color: var(--bad);
}

.done {
  color: var(--good);
}

.field {
  margin: 1rem 0;
}

.hint,
.error {
  margin: 0;
}

.hint {
  color: var(--quiet);
}

.error {
  font-weight: bold;
}

button {
  margin: 0.5rem 0;
}

.factors,
.codes {
  margin: 1rem 0;
  padding: 0;
  list-style: none;
}

.factors li {
  margin: 1rem 0;
  padding: 1rem;
  background: var(--raised);
}

.factors p {
  margin: 0;
}

.factors form {
  display: flex;
  flex-wrap: wrap;
  column-gap: 1rem;
}

.codes {
  font-size: 1.125rem;
}

.qr {
  display: block;
  width: 100%;
  max-width: 20rem;
  background: #fff;
  fill: #000;
}
`
