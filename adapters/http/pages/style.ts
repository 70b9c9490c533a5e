/** What only the pages for people look like. `BASE_STYLE` comes before it. */
export const PAGES_STYLE = /* css */ `
body {
  background: var(--raised);
}

header,
main,
footer {
  max-width: 28rem;
  margin: 0 auto;
}

header {
  padding: 2.5rem 1rem 1.25rem;
  text-align: center;
}

header p {
  font-size: 1.25rem;
  font-weight: bold;
}

.logo {
  height: 3rem;
  max-width: 100%;
  object-fit: contain;
}

main {
  padding: 2rem;
  background: var(--ground);
  border: 1px solid var(--line);
  border-radius: 1rem;
  box-shadow: 0 0.5rem 2rem rgb(0 0 0 / 6%);
}

footer {
  padding: 1rem;
  text-align: center;
  font-size: 0.875rem;
}

footer a {
  display: inline-block;
  padding: 0.75rem;
}

@media (max-width: 30rem) {
  body {
    background: var(--ground);
  }

  header {
    padding: 1rem;
    border-bottom: 1px solid var(--line);
  }

  main {
    padding: 1.5rem 1rem;
    border: 0;
    box-shadow: none;
  }
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

h3 {
  margin: 0;
  font-size: 1rem;
}

.summary,
.done {
  margin: 1rem 0;
  padding: 1rem;
  border: 1px solid var(--line);
  border-left: 0.25rem solid var(--bad);
  border-radius: 0.5rem;
}

.summary h2 {
  margin: 0 0 0.5rem;
}

header p,
.summary p,
.summary ul,
.factors h2,
.factors p {
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
  border-left-color: var(--good);
}

.field {
  margin: 1.25rem 0;
}

label,
.hint,
.error {
  margin: 0 0 0.25rem;
}

.hint {
  color: var(--quiet);
}

.error {
  font-weight: bold;
}

input,
select,
button {
  border-radius: 0.5rem;
}

input[readonly] {
  background: var(--raised);
  border-color: var(--line);
}

input[type='checkbox'] {
  flex: none;
  width: 1.5rem;
  min-height: 1.5rem;
  margin: 0.625rem 0;
  accent-color: var(--link);
}

.check {
  display: flex;
  gap: 0.75rem;
}

.check label {
  padding: 0.625rem 0;
  font-weight: normal;
}

button {
  margin: 0.25rem 0;
}

main > form > button {
  width: 100%;
}

.second,
.show {
  color: var(--link);
  background: none;
  border-color: var(--edge);
}

.secret {
  position: relative;
}

.secret input {
  padding-right: 6.5rem;
}

input::-ms-reveal {
  display: none;
}

.show {
  position: absolute;
  top: 0;
  right: 0;
  margin: 0;
  padding: 0 1rem;
  border-color: transparent;
  font-size: 0.875rem;
}

.or {
  display: flex;
  align-items: center;
  gap: 1rem;
  margin: 1rem 0;
  color: var(--quiet);
}

form:has(> button[hidden]) .or {
  display: none;
}

.or::before,
.or::after {
  content: '';
  flex: 1;
  border-top: 1px solid var(--line);
}

.who {
  padding: 1rem;
  background: var(--raised);
  border-radius: 0.5rem;
}

.who form {
  margin-top: 0.75rem;
}

.row {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem;
}

.row select {
  flex: 1;
  min-width: 8rem;
}

.row button {
  margin: 0;
}

.links,
.factors,
.codes {
  margin: 1rem 0;
  padding: 0;
  list-style: none;
}

.links a {
  display: flex;
  justify-content: space-between;
  gap: 1rem;
  padding: 0.75rem 0;
  text-decoration: none;
  font-weight: bold;
}

.links a::after {
  content: '\\203a' / '';
}

.links li + li,
.factors li + li {
  border-top: 1px solid var(--line);
}

.factors li {
  padding: 0.75rem 0;
}

.factors p {
  color: var(--quiet);
}

.factors .here {
  color: var(--good);
  font-weight: bold;
}

.factors form {
  display: flex;
  flex-wrap: wrap;
  column-gap: 1rem;
}

.qr {
  width: 100%;
  max-width: 20rem;
  background: #fff;
  fill: #000;
}
`
