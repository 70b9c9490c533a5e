import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { hasPromtool } from '../support/promtool.ts'
import { evaluated, INSTANCE, type Measured, measure, PREFIX, type Series, withTarget } from './measured.ts'

const FILE = join(ROOT, 'deploy/prometheus/portcullis.rules.yml')
const PAGE = readFileSync(join(ROOT, 'docs/observe.md'), 'utf8')
const [SCRAPE = ''] = codeIn(partOf(PAGE, '### Scrape'), 'yaml')
const JOB: string = parse(SCRAPE).scrape_configs[0].job_name

type Rule = Readonly<{
  alert: string
  labels: Readonly<{ severity: string }>
  annotations: Readonly<{ summary: string; description: string; runbook_url: string }>
}>
const rules: ReadonlyArray<Rule> = parse(readFileSync(FILE, 'utf8')).groups[0].rules

type Labels = Readonly<Record<string, string>>

/** What happens to series during an hour, and which alerts fire in it, with their labels. */
type Case = Readonly<{ what: string; happens: Labels; fires: Readonly<Record<string, Labels>> }>

const requests = (method: string, route: string, status: number) =>
  `portcullis_http_requests_total{method="${method}",route="${route}",status="${status}"}`
const refused = (type: string, reason: string) =>
  `portcullis_refusals_total{type="${type}",reason="${reason}"}`
const errors = (method: string, reason: string) =>
  `portcullis_store_errors_total{method="${method}",reason="${reason}"}`
const profiles = (le: string) =>
  `portcullis_http_request_duration_seconds_bucket{le="${le}",method="GET",route="${PREFIX}/api/v1/profile"}`

const UP = 'up'
const SIGN_IN = `${PREFIX}/api/v1/auth/user/token`
const HERE = { instance: INSTANCE }
const HERE_IN_JOB = { ...HERE, job: JOB }
const perMinute = (count: number) => `0+${count}x60`
const NEVER = '_x60'

const CASES: ReadonlyArray<Case> = [
  { what: 'a healthy service', happens: {}, fires: {} },
  { what: 'no answer to a scrape', happens: { [UP]: '0x60' }, fires: { PortcullisGone: HERE_IN_JOB } },
  { what: 'a job of another name', happens: { [UP]: NEVER }, fires: { PortcullisGone: { job: JOB } } },
  { what: 'a restart', happens: { [UP]: '1x9 0 1x50' }, fires: {} },
  {
    what: 'probes that get 503',
    happens: {
      [requests('GET', '/readyz', 503)]: perMinute(6),
      [requests('GET', '/readyz', 200)]: perMinute(0),
    },
    fires: { PortcullisNotReady: HERE },
  },
  {
    what: 'one probe that gets 503',
    happens: {
      [requests('GET', '/readyz', 503)]: '0x9 1x51',
      [requests('GET', '/readyz', 200)]: perMinute(6),
    },
    fires: {},
  },
  {
    what: 'sign-ins that get 503, beside very many probes and scrapes that succeed',
    happens: {
      [requests('POST', SIGN_IN, 503)]: perMinute(3),
      ...Object.fromEntries(
        ['/readyz', '/healthz', '/metrics'].map((route) => [requests('GET', route, 200), perMinute(1000)]),
      ),
    },
    fires: { PortcullisFails: {} },
  },
  ...[errors('commit', 'full'), errors('findUser', 'disk'), errors('readEvents', 'unreadable')].map(
    (series) => ({
      what: `one error: ${series}`,
      happens: { [series]: '0x9 1x51' },
      fires: { PortcullisStoreDisk: { ...HERE, reason: /reason="(\w+)"/.exec(series)?.[1] ?? '' } },
    }),
  ),
  {
    what: 'connections to PostgreSQL that fail again and again',
    happens: { [errors('findUser', 'connection')]: perMinute(1) },
    fires: { PortcullisStoreConnection: HERE },
  },
  { what: 'one lost connection', happens: { [errors('findUser', 'connection')]: '0x9 1x51' }, fires: {} },
  {
    what: 'a commit whose answer is lost',
    happens: { 'portcullis_store_commits_total{outcome="unknown"}': '0x9 1x51' },
    fires: { PortcullisOutcomeUnknown: HERE },
  },
  {
    what: 'a damaged log',
    happens: { portcullis_log_signer_stopped: '0x9 1x51' },
    fires: { PortcullisLogSignerStopped: HERE_IN_JOB },
  },
  {
    what: 'a tree that falls behind',
    happens: { portcullis_log_entries_not_integrated: perMinute(1000) },
    fires: { PortcullisLogTreeBehind: HERE_IN_JOB },
  },
  {
    what: 'an import that the tree catches up with',
    happens: { portcullis_log_entries_not_integrated: '0x9 1000000x5 0x46' },
    fires: {},
  },
  {
    what: 'a relay that cannot be used while mails wait',
    happens: { portcullis_mail_oldest_seconds: '0+60x60' },
    fires: { PortcullisMailsWait: {} },
  },
  {
    what: 'mails that wait for a quarter of an hour, and those of a stopped service, which leave at once',
    happens: { portcullis_mail_oldest_seconds: '0+60x15 0x9 5000 0x34' },
    fires: {},
  },
  {
    what: 'a full queue of hashes',
    happens: { 'portcullis_hashes_refused_total{reason="overloaded"}': perMinute(1) },
    fires: { PortcullisTooMuchToHash: HERE },
  },
  {
    what: 'profiles of which one in ten takes 100 to 250 ms',
    happens: Object.fromEntries([
      ...['0.0005', '0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1'].map((le) => [
        profiles(le),
        perMinute(9),
      ]),
      ...['0.25', '0.5', '1', '2.5', '10', '+Inf'].map((le) => [profiles(le), perMinute(10)]),
    ]),
    fires: { PortcullisSlow: {} },
  },
  {
    what: 'an event loop without CPU',
    happens: { nodejs_eventloop_lag_p99_seconds: '0.3x60' },
    fires: { PortcullisEventLoopLate: HERE_IN_JOB },
  },
  {
    what: 'one bad minute',
    happens: {
      [requests('POST', SIGN_IN, 503)]: '0x9 100x51',
      'portcullis_hashes_refused_total{reason="overloaded"}': '0x9 100x51',
      ...Object.fromEntries(
        ['0.25', '0.5', '1', '2.5', '10', '+Inf'].map((le) => [profiles(le), '0x9 100x51']),
      ),
      nodejs_eventloop_lag_p99_seconds: '0.02x9 0.3 0.02x50',
      [refused('SignInRefused', 'wrong_password')]: '0x9 300x51',
      [refused('ApplicationTokenRefused', 'malformed_key')]: '0x9 300x51',
      'portcullis_throttled_total{on="address"}': '0x9 300x51',
    },
    fires: {},
  },
  {
    what: 'guessed passwords',
    happens: { [refused('SignInRefused', 'wrong_password')]: perMinute(40) },
    fires: { PortcullisGuessing: {} },
  },
  {
    what: 'guessed API keys',
    happens: { [refused('ApplicationTokenRefused', 'malformed_key')]: perMinute(40) },
    fires: { PortcullisGuessingKeys: {} },
  },
  {
    what: 'callers who get 429',
    happens: { 'portcullis_throttled_total{on="address"}': perMinute(40) },
    fires: { PortcullisTurnsAway: { on: 'address' } },
  },
]

describe('the alerts for Prometheus', () => {
  it('fire in a case of this test, which has the labels that their texts name', () => {
    const fired = CASES.flatMap(({ fires }) => Object.entries(fires))
    expect(new Set(fired.map(([alert]) => alert))).to.deep.equal(new Set(rules.map(({ alert }) => alert)))
    for (const [alert, labels] of fired) {
      const { annotations } = rules.find((rule) => rule.alert === alert) ?? {}
      for (const [, label = ''] of JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g))
        expect(labels, alert).to.have.property(label)
    }
  })

  if (!hasPromtool) return

  it('are installed by the steps of docs/observe.md, beside its scrape', () => {
    const steps = partOf(PAGE, '### Alerts')
    const [named = ''] = codeIn(steps, 'yaml')
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-prometheus-'))
    writeFileSync(join(folder, 'prometheus.yml'), SCRAPE + named)
    const commands = codeIn(steps, 'sh').join('').replaceAll('/etc/prometheus', folder)
    const here = commands.replace(/^sudo systemctl .*$/m, '').replaceAll('sudo ', '')
    const said = execFileSync('sh', ['-e', '-c', here], { cwd: ROOT, encoding: 'utf8', timeout: 15_000 })
    rmSync(folder, { recursive: true })
    expect(said).to.include(`SUCCESS: ${rules.length} rules found`).and.to.include('1 rule files found')
  })

  let measured: Measured
  before(async () => {
    measured = await measure()
  })

  for (const { what, happens, fires } of CASES) {
    const names = Object.keys(fires)
    it(`${names.length === 0 ? 'are silent' : `include ${names}, and no other fires`}: ${what}`, () => {
      const exp_samples = Object.entries(fires).map(([alertname, labels]) => ({
        labels: labelled({ alertname, alertstate: 'firing', severity: severityOf(alertname), ...labels }),
        value: 1,
      }))
      const fired = { expr: 'max_over_time(ALERTS{alertstate="firing"}[1h])', eval_time: '1h', exp_samples }
      expect(evaluated(hourOf(measured, happens), [fired], [FILE])).to.equal('')
    })
  }
})

const severityOf = (name: string): string => rules.find(({ alert }) => alert === name)?.labels.severity ?? ''

const labelled = (labels: Labels): string =>
  `{${Object.entries(labels).map(([name, value]) => `${name}="${value}"`)}}`

/** An hour of the healthy service: each series goes on as in the last of its minutes. Some then happen otherwise. */
const hourOf = ({ atWork, withoutStore }: Measured, happens: Labels): ReadonlyArray<Series> => {
  const [before, last] = atWork.slice(-2)
  const after = withoutStore.at(-1)
  const exposed = [...new Set([...(last?.series ?? []), ...(after?.series ?? [])])]
  expect([UP, ...exposed]).to.include.members(Object.keys(happens)) // no series that no service has
  const healthy = (series: string): string => {
    const value = last?.value(series) ?? after?.value(series) ?? 0
    if (last?.types.get(series.replace(/\{.*/, '')) === 'gauge') return `${value}+0x60` // also for NaN
    return `${value}+${value - (before?.value(series) ?? value)}x60`
  }
  return [UP, ...exposed].map((series) => ({
    series: withTarget(series, JOB),
    values: happens[series] ?? (series === UP ? '1x60' : healthy(series)),
  }))
}
