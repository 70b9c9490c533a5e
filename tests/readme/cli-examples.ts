import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { none, some } from 'fp-ts/lib/Option.js'
import { run } from '../../adapters/cli/program.ts'
import { composition } from '../../adapters/composition/compose.ts'
import type { Environment } from '../../adapters/config/settings.ts'
import { openStorage } from '../../adapters/index.ts'
import { newMail } from '../../domain/mail.ts'
import { makeCertificate } from '../support/certificates.ts'
import { main, processWorkplace } from '../support/command.ts'
import { startRelay } from '../support/mail-relay.ts'
import { succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'

/** What `PASSWORD` holds in the examples. */
const PASSWORD = 'nine purple otters sing'

/** Set for all examples, and shown by none. */
const EVENT_LOG_KEY = `2026:${'e'.repeat(64)}`

/** The folder in which the examples run, as the page shows it. */
const SHOWN_FOLDER = '/srv/portcullis'

const CONSOLE = /```console\n([\s\S]*?)```/g
/** A file that the page shows, for example "`users.jsonl`:" before a block of code. The commands find it in their folder. */
const FILE = /^`([a-z-]+\.jsonl)`:\n\n```json\n([\s\S]*?)```/gm
const PAGE_WITH_FILES = 'docs/import.md'

const SERVE = 'node dist/adapters/main.js serve'

/** What differs from run to run, by kind: keys, ids, times, cursors, sizes and durations. */
const VOLATILE: ReadonlyArray<readonly [kind: string, pattern: string]> = [
  ['private key', 'sk_\\w{40,}'],
  ['signature', '[A-Za-z0-9+/]{91}='],
  ['root', '(?<![\\w+/])[A-Za-z0-9+/]{43}='],
  ['verifier key', '(?<=\\+)[A-Za-z0-9+/]{44}(?![\\w+/=])'],
  ['id', '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['digest', '\\b[0-9a-f]{64}\\b'],
  ['kid', '(?<![\\w-])[\\w-]{43}(?![\\w-])'],
  ['time', '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'],
  ['epoch', '\\b[0-9a-f]{8}\\b'],
  ['size', '\\d+ MiB'],
  ['speed', '\\d+ ms, so about \\d+'],
  ['console', '127\\.0\\.0\\.1:\\d{5}/[\\w-]{22}'],
  ['tunnel', '\\d{5}:127\\.0\\.0\\.1:\\d{5}'],
]
const ANY_VOLATILE = new RegExp(VOLATILE.map(([, pattern]) => `(${pattern})`).join('|'), 'g')

/** The output with each volatile part replaced by its kind. */
export const normalized = (output: string): string =>
  output.replaceAll(ANY_VOLATILE, (...groups) => {
    const kind = groups.slice(1, VOLATILE.length + 1).findIndex((group) => group !== undefined)
    return `<${VOLATILE[kind]?.[0]}>`
  })

export type Example = Readonly<{ command: string; shown: string; actual: string }>

/**
 * Runs the examples of the page in one new folder, in their order. Each id that the page shows stands for the id that this run
 * has in its place.
 */
export const runExamples = async (page: string): Promise<ReadonlyArray<Example>> => {
  const place = processWorkplace()
  const meant = new Map<string, string>()
  const examples: Array<Example> = []
  for (const [, name = '', content = ''] of readFileSync(PAGE_WITH_FILES, 'utf8').matchAll(FILE))
    writeFileSync(join(place.folder, name), content)
  try {
    for (const [, text = ''] of page.matchAll(CONSOLE)) {
      const [first = '', ...rest] = text.split('\n')
      const command = first.replace(/^\$ /, '')
      const shown = rest.join('\n')
      const typed = command.replaceAll(ANY_VOLATILE, (one) => meant.get(one) ?? one)
      const output = await outputOf(typed, place)
      const [shownParts, actualParts] = [shown, output].map((one) => one.match(ANY_VOLATILE) ?? [])
      if (shownParts?.length === actualParts?.length)
        shownParts?.forEach((part, index) => {
          meant.set(part, actualParts?.[index] ?? part)
        })
      const pageParts = new Map([...meant].map(([part, actualPart]) => [actualPart, part]))
      const actual = output.replaceAll(ANY_VOLATILE, (one) => pageParts.get(one) ?? one)
      examples.push({ command, shown, actual })
    }
    return examples
  } finally {
    place.remove()
  }
}

const outputOf = async (command: string, place: ReturnType<typeof processWorkplace>): Promise<string> => {
  if (command === SERVE) return served(place)
  if (!command.startsWith('portcullis mail ')) return printed(command, place.folder)
  if (command === LIST_MAILS) await addFailedMail(place.folder)
  const relay = await startRelay(makeCertificate('localhost', 84))
  try {
    const output = await printed(command, place.folder, {
      PUBLIC_URL: 'https://auth.example.com',
      MAIL_URL: `smtp://127.0.0.1:${relay.port}`,
      MAIL_FROM: 'Otterworks <noreply@example.com>',
      MAIL_CONTACT: 'help@example.com',
    })
    return output.replaceAll(`:${relay.port}`, ':587')
  } finally {
    await relay.stop()
  }
}

const LIST_MAILS = 'portcullis mail list'

/** None of the other examples makes a mail. */
const addFailedMail = async (folder: string): Promise<void> => {
  const on = settings({ DATABASE_URL: `sqlite:${folder}/data/portcullis.db` })
  const { store, outbox } = await openStorage(on, { clock: Date.now })
  if (outbox === undefined) throw new Error('SQLite keeps mails')
  const now = Math.floor(Date.now() / 1000)
  const [id, userId] = [randomUUID(), some(randomUUID())]
  const mail = newMail(
    { id, kind: 'password_changed', userId, address: 'ada@example.com', language: none },
    now,
  )
  await succeed(outbox.put({ mail, unseenAtMost: 1 }))
  await succeed(outbox.claim({ claim: id, nowSeconds: now, leaseSeconds: 60, limit: 1 }))
  await succeed(outbox.settle({ id, claim: id, failed: { code: '550', keptUntilSeconds: now + 604_800 } }))
  await store.close()
}

const served = async ({ serve }: ReturnType<typeof processWorkplace>): Promise<string> => {
  const server = await serve()
  await server.prints('--password-stdin')
  await server.end()
  return server.printed().replaceAll(`:${server.port}`, ':8080').replaceAll(main, 'dist/adapters/main.js')
}

/** What a command prints on both of its streams. */
const printed = async (command: string, folder: string, settings: Environment = {}): Promise<string> => {
  const [, input, line = '', file] =
    /^(printf %s "\$PASSWORD" \| )?portcullis (.*?)(?: > (\S+))?$/.exec(command) ?? []
  if (line === '') throw new Error(`this is no example that can be run: ${command}`)
  const lines: Array<string> = []
  const add = (text: string) => lines.push(`${text}\n`)
  const addToFile = (text: string) => appendFileSync(join(folder, String(file)), `${text}\n`)
  await run(line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [], {
    loadComposition: async () => composition,
    script: '/opt/portcullis/dist/adapters/main.js',
    environment: { DATABASE_URL: `sqlite:${folder}/data/portcullis.db`, EVENT_LOG_KEY, ...settings },
    folder,
    systemUser: () => 'grace',
    input: Readable.from(input === undefined ? [] : [Buffer.from(PASSWORD)]),
    writeOut: file === undefined ? add : addToFile,
    flushOut: async () => undefined,
    writeErr: (text) => void (text.startsWith('Store: ') || add(text)), // the page describes this line once
    pause: () => new Promise(() => {}),
    untilStopped: line === 'console' ? async () => {} : () => new Promise(() => {}), // it ends once it has printed its URL
  })
  return lines.join('').replaceAll(`${folder}/data/`, './data/').replaceAll(folder, SHOWN_FOLDER)
}

/** The page with the actual output of each example whose shown output is out of date. */
export const withExamples = async (page: string): Promise<string> => {
  const examples = await runExamples(page)
  let index = 0
  return page.replaceAll(CONSOLE, (block) => {
    const { command, shown, actual } = examples[index++] ?? { command: '', shown: '', actual: '' }
    return normalized(shown) === normalized(actual) ? block : `\`\`\`console\n$ ${command}\n${actual}\`\`\``
  })
}
