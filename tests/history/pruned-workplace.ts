import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import type { StoreKind } from '../support/stores.ts'
import { workplace } from '../support/workplace.ts'
import { ok } from '../testkit/outcome.ts'

const SECRET = 'e'.repeat(64)
const PUBLIC_URL = 'https://id.example.com'

/** Who signs the log of each machine here. */
export const SIGNER = { keys: [{ secret: SECRET }], publicUrl: PUBLIC_URL }

type Portcullis = ReturnType<typeof workplace>['portcullis']

/** A machine with a log key. Its processes get the settings from `.env`. */
export const place = (url: () => string) => {
  const machine = workplace(() => ({ DATABASE_URL: url() }))
  const keep = (name: string, text: string): void => writeFileSync(join(machine.folder, name), text)
  keep('.env', `EVENT_LOG_KEY=2026:${SECRET}\nPUBLIC_URL=${PUBLIC_URL}\n`)
  return { ...machine, keep }
}

/** What doctor finds wrong with the log and with its tree. */
export const doctor = async (portcullis: Portcullis): Promise<ReadonlyArray<string>> => {
  const { checks } = JSON.parse((await portcullis('doctor --json')).out) as {
    checks: ReadonlyArray<{ name: string; ok: boolean; detail: string }>
  }
  const found = checks.filter(({ name }) => name === 'log' || name === 'history')
  expect(found).to.have.lengthOf(2)
  return found.filter((one) => !one.ok).map(({ detail }) => detail)
}

/** The bytes that the log takes, without free space: in SQLite, a back-up has none. */
export const sizeOf = async (
  kind: StoreKind,
  { portcullis, folder, url }: Readonly<{ url: string; folder: string; portcullis: Portcullis }>,
  name: string,
): Promise<number> => {
  if (kind.name !== 'SQLite') return Buffer.byteLength(JSON.stringify((await kind.contents(url)).log))
  await portcullis(`backup ${name}`)
  return statSync(join(folder, name)).size
}

export const wholeLog = (store: Store): Promise<ReadonlyArray<LogEntry>> =>
  ok(store.readEvents({ after: 0, limit: 1_000_000 }))
