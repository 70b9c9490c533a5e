import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { right } from 'fp-ts/lib/Either.js'
import pino from 'pino'
import { Agent, request } from 'undici'
import { findingsOf } from '../../adapters/cli/doctor.ts'
import { composition } from '../../adapters/composition/compose.ts'
import { newConsole } from '../../adapters/http/console/console.ts'
import { compose, Dependency, provide, type Service } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { sqliteReadModel } from '../../adapters/stores/sqlite/read-model.ts'
import type { Random } from '../../application/ports/environment.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { ReadModel } from '../../application/ports/read-model.ts'
import type { Store } from '../../application/ports/store.ts'
import { drivenBackground } from '../application/background.ts'
import { type SettableClock, settableClock } from '../application/fakes.ts'
import { settings } from '../support/settings.ts'

/** A console over a SQLite store, opened like one of a terminal, with a service beside it on the same store. */
export type ScreensHere = Readonly<{
  service: Service
  /** The store of the console. */
  store: Store
  /** The store file, and the file of the read model. */
  files: Readonly<{ store: string; model: string }>
  clock: SettableClock
  /** Lets the service finish what it does in the background, such as noting refusals. */
  settle: () => Promise<void>
  /** The URL that opens the console, and the one below which its screens are. */
  openingUrl: string
  baseUrl: string
  /** Shows a page. `link` is relative, as in a page. */
  get: (link: string) => Promise<PageHere>
  /** Sends a form as a page of the console does. */
  post: (link: string, form: Readonly<Record<string, string>>) => Promise<PageHere>
  /** Resolves when the checks that run now are done. */
  checked: () => Promise<void>
  /** Opens the read model again, as after a restart of the console. */
  openModel: () => Promise<void>
  stop: () => Promise<void>
}>

export type PageHere = Readonly<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  html: string
}>

type Given = Readonly<{ isWritable?: boolean; environment?: Readonly<Record<string, string>>; now?: string }>

export const startScreens = async ({
  isWritable = false,
  environment = {},
  now = '2026-03-01T08:00:00.000Z',
}: Given = {}): Promise<ScreensHere> => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-console-'))
  const files = { store: join(folder, 'store.db'), model: join(folder, 'model.db') }
  const given = settings({ DATABASE_URL: `sqlite:${files.store}`, ...environment })
  const clock = settableClock(now)
  const background = drivenBackground(clock)
  const random = datedRandom(clock)
  const modules = [provide(Dependency.clock, () => clock.read), provide(Dependency.random, () => random)]
  const service = await compose(
    given,
    ...modules,
    provide(Dependency.steadyClock, () => async () => right(clock.read())),
    provide(Dependency.background, () => background),
  )
  const operations = await composition.composeOperations(given, 'read-only')
  let model = sqliteReadModel(files.model, () => undefined)
  const current: ReadModel = {
    state: () => model.state(),
    begin: (...all) => model.begin(...all),
    advance: (...all) => model.advance(...all),
    keepOnly: (...all) => model.keepOnly(...all),
    count: (...all) => model.count(...all),
    find: (...all) => model.find(...all),
    tally: (...all) => model.tally(...all),
    close: () => model.close(),
  }
  let checks: Promise<ReadonlyArray<Finding>> | undefined
  const console = newConsole({
    store: operations.store,
    log: { store: operations.store, model: current },
    passwordHasher: operations.passwordHasher,
    mails: operations.mails && { counts: operations.mails.counts, areSent: given.mail !== undefined },
    changes: isWritable ? service : undefined,
    check: (onProgress) => {
      checks = findingsOf(composition, given, onProgress)
      return checks
    },
    clock: clock.read,
    random,
    digests: nodeDigests,
    logger: pino({ level: 'silent' }),
    storeText: 'sqlite:store.db',
    asOperator: { operator: 'grace' },
    closedBecause: async () => undefined,
    onOpening: () => undefined,
    onIdle: () => undefined,
    startTimer: () => () => undefined,
  })
  const origin = `http://127.0.0.1:${await console.listen('127.0.0.1', 0)}`
  const openingUrl = `${origin}${console.openingTarget}`
  const baseUrl = openingUrl.replace(/open\?.*/, '')
  const dispatcher = new Agent()
  let cookie: Promise<string> | undefined
  const opened = async (): Promise<string> =>
    String((await request(openingUrl, { dispatcher })).headers['set-cookie']).split(';')[0] ?? ''

  const send = async (
    link: string,
    body: string | null = null,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PageHere> => {
    cookie ??= opened()
    const answer = await request(new URL(link, baseUrl), {
      dispatcher,
      method: body === null ? 'GET' : 'POST',
      body,
      headers: { cookie: await cookie, ...headers },
    })
    return { status: answer.statusCode, headers: answer.headers, html: await answer.body.text() }
  }

  return {
    service,
    store: operations.store,
    files,
    clock,
    settle: background.settle,
    openingUrl,
    baseUrl,
    get: (link) => send(link),
    post: (link, form) =>
      send(link, new URLSearchParams(form).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin,
      }),
    checked: async () => {
      await checks
    },
    openModel: async () => {
      await model.close()
      model = sqliteReadModel(files.model, () => undefined)
    },
    stop: async () => {
      await dispatcher.close()
      await console.stop()
      await checks
      await model.close()
      await operations.close()
      await service.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Randomness whose UUIDs have the time of a clock, as keys of that time have. */
const datedRandom = (clock: SettableClock): Random => {
  let count = 0
  return {
    uuid: () => {
      count += 1
      const time = clock.read().toString(16).padStart(12, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count >> 12, 3)}-8${hex(count, 3)}-${randomBytes(6).toString('hex')}`
    },
    bytes: (length) => randomBytes(length),
  }
}

const hex = (number: number, digits: number): string => (number & 0xfff).toString(16).padStart(digits, '0')

/** The text of a page or a part of it, as a reader sees it. */
export const textOf = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/s, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:lt|gt|quot|amp|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim()

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
  '&#39;': "'",
}

/** What follows the tag that a pattern matches, up to the next tag of the same kind; one text for each. */
const elements = (html: string, name: string): ReadonlyArray<string> =>
  [...html.matchAll(new RegExp(`<${name}\\b[^>]*>(.*?)</${name}>`, 'gs'))].map(([, inner = '']) => inner)

/** The rows of the table with a label, as texts. Empty without such a table. */
export const rowsOf = (html: string, label: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, table = ''] = html.split(`role="region" aria-label="${label}"`)
  const [body = ''] = elements(table.split('</table>')[0] ?? '', 'tbody')
  return elements(body, 'tr').map((row) => elements(row, 'td').map(textOf))
}

/** The first sentences of a screen: what it answers. */
export const answersOf = (html: string): ReadonlyArray<string> =>
  elements(/<ul class="answers">(.*?)<\/ul>/s.exec(html)?.[1] ?? '', 'li').map(textOf)

/** The target of the link with a text. */
export const linkIn = (html: string, text: string): string => {
  const found = [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].find(
    ([, , inner = '']) => textOf(inner) === text,
  )
  if (found === undefined) throw new Error(`no link has the text ${text}`)
  return (found[1] ?? '').replaceAll('&amp;', '&')
}

/** The heading of a page. */
export const headingOf = (html: string): string => elements(html, 'h1').map(textOf).join()
