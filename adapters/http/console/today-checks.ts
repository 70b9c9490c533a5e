import type { Finding } from '../../../application/ports/inspection.ts'
import { type Html, html } from '../operation/html.ts'
import { storedHtml, tableHtml } from './layout.ts'
import type { StoreCheck } from './store-check.ts'
import { ageText, timeHtml } from './times.ts'

/** Whether the log is intact, as far as the last checks know. */
export const logAnswer = (check: StoreCheck, now: number): Html => {
  const { last } = check.state()
  if (last === undefined)
    return html`<strong>Whether the log is intact is not known yet:</strong> the checks run. This page shows the result as soon as it is there.`
  const ofLog = last.findings.filter(({ name }) => OF_LOG.has(name))
  const wrong = ofLog.filter(({ ok }) => !ok)
  const when = html`Checked ${ageText(now - last.at)} ago.`
  if (ofLog.length === 0)
    return html`<strong class="bad">The log could not be checked.</strong> See <a href="#checks">the checks</a>. ${when}`
  return wrong.length > 0
    ? html`<strong class="bad">The log is not in order:</strong> ${wrong.map(detailHtml)}${when}`
    : html`<strong class="good">The log is intact:</strong> ${ofLog.map(detailHtml)}${when}`
}

const detailHtml = ({ detail }: Finding): Html => html`${storedHtml(detail)} `

/** Names what is wrong beside the log: the table of the checks is far below. Undefined if nothing is. */
export const otherChecksAnswer = (check: StoreCheck): Html | undefined => {
  const wrong = check.state().last?.findings.filter(({ name, ok }) => !ok && !OF_LOG.has(name)) ?? []
  return wrong.length === 0
    ? undefined
    : html`<strong class="bad">Wrong:</strong> ${wrong.map(({ name }) => name).join(', ')}. See <a href="#checks">the checks</a>.`
}

/** The findings about the event log: its entries explain the rows, and its tree agrees with it. */
const OF_LOG: ReadonlySet<string> = new Set(['log', 'history'])

/** Renders all checks, wrong ones first. */
export const checksHtml = (check: StoreCheck, now: number): Html => {
  const { last, running } = check.state()
  const wrong = last?.findings.filter(({ ok }) => !ok) ?? []
  return html`<h2 id="checks">Checks</h2>
${
  running !== undefined
    ? html`<p>The checks run since ${timeHtml(running.since)}${running.progress !== '' && `: ${running.progress}`}. ${last !== undefined && 'Reload this page to see the result.'}</p>`
    : html`<form method="post" action="check"><button>Check again</button></form>`
}
${
  last !== undefined &&
  html`<p>${wrong.length === 0 ? html`<span class="good">All ${last.findings.length} are in order.</span>` : html`<span class="bad">${wrong.length} of ${last.findings.length} need attention.</span>`} Checked at ${timeHtml(last.at)}, ${ageText(now - last.at)} ago.</p>
${tableHtml({ label: 'Checks', head: ['Check', 'State', 'Detail'], rows: [...wrong, ...last.findings.filter(({ ok }) => ok)].map(row) })}`
}`
}

const row = ({ name, ok, detail }: Finding) => [
  name,
  ok ? html`<span class="good">in order</span>` : html`<strong class="bad">wrong</strong>`,
  storedHtml(detail),
]
