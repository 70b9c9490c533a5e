import * as t from 'io-ts'

/** A known vulnerability in a package of the lock. */
export type Advisory = Readonly<{
  /** As the advisory database names it, for example GHSA-2j2x-2gpw-g8fm. */
  id: string
  package: string
  severity: string
  title: string
}>

/** What came of asking the registry. Silence is no good news. */
export type Audit =
  | Readonly<{ _tag: 'Answered'; advisories: ReadonlyArray<Advisory> }>
  | Readonly<{ _tag: 'NotAnswered'; why: string }>

/** Reads what `npm audit --json` printed. */
export const auditOf = (printed: string): Audit => {
  const json = parsed(printed)
  if (!Report.is(json)) {
    const status = Refusal.is(json) ? `it said ${json.statusCode}` : 'it could not be reached'
    return { _tag: 'NotAnswered', why: `the registry told nothing about vulnerabilities: ${status}` }
  }
  // `via` names a package where the vulnerability is that of something it needs.
  const found = Object.values(json.vulnerabilities).flatMap(({ via }) => via.filter(Via.is))
  const advisories = found.map(({ url, name, severity, title }) => ({
    id: url.slice(url.lastIndexOf('/') + 1),
    package: name,
    severity,
    title: title.replaceAll(/\p{C}/gu, ' '),
  }))
  const byId = new Map(advisories.map((advisory) => [`${advisory.id} ${advisory.package}`, advisory]))
  return { _tag: 'Answered', advisories: [...byId.values()] }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const Via = t.type({ url: t.string, name: t.string, severity: t.string, title: t.string })

/** `auditReportVersion` 2. */
const Report = t.type({
  auditReportVersion: t.literal(2),
  vulnerabilities: t.record(t.string, t.type({ via: t.array(t.union([t.string, Via])) })),
})

/** What npm prints where the registry answers with a status of failure. */
const Refusal = t.type({ statusCode: t.number })
