/** What only the pages for people look like. `BASE_STYLE` comes before it. */
export const PAGES_STYLE = /* css */ `
header,
main,
footer {
  max-width: 28rem;
  margin: 0 auto;
  padding: 1rem;
}

header {
  padding-top: 2rem;
  text-align: center;
}

header p {
  margin: 0;
  font-size: 1.125rem;
  font-weight: bold;
}

main {
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  padding: 1.5rem;
}

@media (max-width: 30rem) {
  header {
    padding-top: 1rem;
  }

  main {
    border-width: 1px 0;
    border-radius: 0;
    padding: 1rem;
  }
}

footer {
  text-align: center;
  font-size: 0.875rem;
}

footer a {
  display: inline-block;
  padding: 0.75rem;
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

.check {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  column-gap: 0.75rem;
}

.check .error {
  flex-basis: 100%;
}

.check input {
  flex: none;
  width: 1.5rem;
  min-height: 1.5rem;
  margin: 0;
}

.check label {
  flex: 1;
  padding: 0.625rem 0;
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

main > form > button:not(.show) {
  width: 100%;
}

.second {
  color: var(--link);
  background: none;
  border-color: var(--edge);
}

.show {
  margin: 0.25rem 0 0;
  padding: 0.25rem 1rem;
  color: var(--link);
  background: none;
  border-color: transparent;
  font-size: 0.875rem;
}

input[readonly] {
  background: var(--raised);
  border-color: var(--line);
}

h3 {
  margin: 0;
  font-size: 1rem;
}

.links {
  margin: 1rem 0;
  padding: 0;
  list-style: none;
}

.links a {
  display: block;
  padding: 0.75rem 0;
  border-top: 1px solid var(--line);
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
