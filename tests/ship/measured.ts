import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promtool } from '../support/promtool.ts'
import { type Scrape, scrape } from '../support/scrape.ts'
import { withService } from '../support/with-service.ts'

/** How Prometheus names the service of these tests. The job is that of docs/observe.md. */
export const INSTANCE = '127.0.0.1:9464'

/** The paths below it are in the labels of requests. */
export const PREFIX = '/auth'

/** A service that sends mails has more series. */
const MAIL = {
  MAIL_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'noreply@example.com',
  MAIL_CONTACT: 'help@example.com',
}

/** What a service exposes, after each of several minutes of work, and then after each of several without its store. */
export type Measured = Readonly<{ atWork: ReadonlyArray<Scrape>; withoutStore: ReadonlyArray<Scrape> }>

export const measure = async (): Promise<Measured> => {
  const atWork: Array<Scrape> = []
  const withoutStore: Array<Scrape> = []
  await withService(
    { PUBLIC_URL: `http://service.test${PREFIX}`, ...MAIL },
    async ({ send, port, keys, user, service }) => {
      const post = (path: string, body: object, token = '') =>
        send({ method: 'POST', path: `${PREFIX}/api/v1/${path}`, body, ...(token === '' ? {} : { token }) })
      const application = (await post('auth/application/token', keys)).body.token
      const signIn = (password: string) =>
        post('auth/user/token', { email: user.email, password }, application)
      const tokenOfUser = (await signIn(user.password)).body.token

      const minute = async (): Promise<Scrape> => {
        for (const path of ['/readyz', '/healthz']) await send({ method: 'GET', path })
        await post('auth/application/token', keys)
        await post('auth/application/token', { public_api_key: 'pk_none', private_api_key: 'sk_none' })
        for (let time = 0; time < 4; time++) await signIn(user.password)
        await signIn('wrong horse')
        await send({ method: 'GET', path: `${PREFIX}/api/v1/profile`, token: tokenOfUser })
        return scrape(`http://127.0.0.1:${port}`)
      }
      for (const into of [atWork, withoutStore]) {
        for (let minutes = 0; minutes < 4; minutes++) into.push(await minute())
        await service.store.close()
      }
    },
  )
  return { atWork, withoutStore }
}

/** A series in the notation of `promtool test rules`: one value a minute. */
export type Series = Readonly<{ series: string; values: string }>

/** What Prometheus adds to each series of a scrape. */
export const withTarget = (series: string, job: string): string => {
  const target = `instance="${INSTANCE}",job="${job}"`
  return series.endsWith('}') ? `${series.slice(0, -1)},${target}}` : `${series}{${target}}`
}

export type Expected = Readonly<{
  expr: string
  eval_time: string
  exp_samples: ReadonlyArray<Readonly<{ labels: string; value: number }>>
}>

/**
 * Lets promtool evaluate expressions on these series.
 *
 * @returns what it says is wrong; empty if nothing is
 */
export const evaluated = (
  input_series: ReadonlyArray<Series>,
  promql_expr_test: ReadonlyArray<Expected>,
  rule_files: ReadonlyArray<string> = [],
): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-promtool-'))
  try {
    const file = join(folder, 'tests.yml')
    const tests = [{ interval: '1m', input_series, promql_expr_test }]
    writeFileSync(file, JSON.stringify({ rule_files, evaluation_interval: '1m', tests })) // JSON is YAML
    const { status, said } = promtool(['test', 'rules', file])
    return status === 0 ? '' : said
  } finally {
    rmSync(folder, { recursive: true })
  }
}
