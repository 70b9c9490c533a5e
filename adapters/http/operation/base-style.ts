/** The colors and basics that all pages share. */
export const BASE_STYLE = /* css */ `
:root {
  color-scheme: light dark;
  --ground: #fff;
  --raised: #f4f6f8;
  --text: #1b2127;
  --quiet: #4d5965;
  --line: #cfd6dd;
  --edge: #6b7682;
  --link: #1d4f91;
  --on-link: #fff;
  --good: #1a6334;
  --bad: #a01c26;
}

@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181c;
    --raised: #1d2329;
    --text: #e5e9ed;
    --quiet: #aeb8c2;
    --line: #3c4650;
    --edge: #8b96a1;
    --link: #8fbcf5;
    --on-link: #14181c;
    --good: #7fd69a;
    --bad: #ff9ba1;
  }
}

* {
  box-sizing: border-box;
}

body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font:
    1rem / 1.5 system-ui,
    sans-serif;
  overflow-wrap: anywhere;
}

a {
  color: var(--link);
}

:focus-visible {
  outline: 3px solid var(--link);
  outline-offset: 2px;
}

main:focus {
  outline: none;
}

.skip {
  position: absolute;
  left: -100vw;
}

.skip:focus {
  left: 0.5rem;
  top: 0.5rem;
  z-index: 1;
  padding: 0.5rem 1rem;
  background: var(--ground);
}

label {
  display: block;
  font-weight: bold;
}

input,
select {
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  font: inherit;
  color: inherit;
  background: var(--ground);
  border: 1px solid var(--edge);
  border-radius: 0.25rem;
}

input[aria-invalid] {
  border: 2px solid var(--bad);
}

button {
  min-height: 2.75rem;
  padding: 0.5rem 1.5rem;
  font: inherit;
  font-weight: bold;
  color: var(--on-link);
  background: var(--link);
  border: 1px solid var(--link);
  border-radius: 0.25rem;
  cursor: pointer;
}
`
