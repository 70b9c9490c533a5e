import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { serversFinding } from '../../adapters/cli/servers-finding.ts'
import { memoryServerNotes } from '../../adapters/stores/memory/server-notes.ts'
import { noteServer } from '../../application/log/note-server.ts'
import type { ServerNote } from '../../application/ports/server-notes.ts'

const NOW = Date.parse('2026-11-23T10:00:00Z')
const MINUTE = 60_000
const HERE = { PUBLIC_URL: 'https://a.internal', TRUST_PROXY: '1' }

const note = (id: string, settings: ServerNote['settings'] = HERE, seenAt = NOW): ServerNote => ({
  id,
  name: `http://127.0.0.1:808${id} on web`,
  startedAt: NOW - 60 * MINUTE,
  seenAt,
  settings,
})

const findingOf = async (...notes: ReadonlyArray<ServerNote>) => {
  const kept = memoryServerNotes()
  for (const one of notes) await kept.write(one)()
  return serversFinding(kept, HERE, NOW)
}

const OTHER = { ...HERE, TRUST_PROXY: '2' }

describe('the check of servers by doctor', () => {
  it('says so if the storage keeps no notes', async () => {
    expect(await serversFinding(undefined, HERE, NOW)).to.deep.equal({
      name: 'servers',
      ok: true,
      detail: 'This storage keeps no notes of servers, so no settings were compared.',
    })
  })

  it('fails if the notes cannot be read', async () => {
    const failing = {
      ...memoryServerNotes(),
      list: async () => left({ _tag: 'StoreUnavailable', reason: 'SQLITE_IOERR' } as const),
    }
    const { ok, detail } = await serversFinding(failing, HERE, NOW)
    expect({ ok, detail }).to.deep.equal({ ok: false, detail: 'The store is unavailable: SQLITE_IOERR.' })
  })

  it('does not count a server without a sign of life for three minutes', async () => {
    expect(await findingOf(note('1', OTHER, NOW - 3 * MINUTE))).to.include({ ok: true })
    expect(await findingOf(note('1', OTHER, NOW - 3 * MINUTE + 1))).to.include({ ok: false })
  })

  it('counts a server whose clock is ahead', async () => {
    expect(await findingOf(note('1', OTHER, NOW + 60 * MINUTE))).to.include({ ok: false })
  })

  it('compares only settings that both versions have', async () => {
    expect(await findingOf(note('1', { PUBLIC_URL: HERE.PUBLIC_URL, NEWER: 'x' }))).to.include({ ok: true })
  })

  it('does not show two values that look equal, because the part before @ is hidden', async () => {
    const [there, here] = [{ MAIL_CONTACT: 'a@example.com' }, { MAIL_CONTACT: 'b@example.com' }]
    const kept = memoryServerNotes()
    await kept.write(note('1', there))()
    expect((await serversFinding(kept, here, NOW)).detail).to.include(', MAIL_CONTACT has another value. ')
  })

  it('names both values, the server, its times and what to do', async () => {
    expect((await findingOf(note('1', OTHER))).detail).to.equal(
      'On the server "http://127.0.0.1:8081 on web" (started 2026-11-23T09:00:00.000Z, last seen 2026-11-23T10:00:00.000Z), TRUST_PROXY is "2" (here "1"). Run commands with the settings of the server (docs/operate.md, Compare the servers). If you have just changed a setting, restart the server.',
    )
  })

  it('says that the servers differ, also if one of them has the settings of the command', async () => {
    for (const all of [
      [note('1', OTHER), note('2')],
      [note('1', OTHER), note('2', { ...HERE, TRUST_PROXY: '3' })],
    ])
      expect((await findingOf(...all)).detail).to.match(/Give all servers and commands the same settings/)
  })

  it('survives a damaged time, and hides what may be a secret', async () => {
    const { detail } = await findingOf({
      ...note('1', { ...HERE, PUBLIC_URL: `https://x.internal/${'a'.repeat(40)}` }),
      startedAt: Number.MAX_SAFE_INTEGER,
    })
    expect(detail).to.include('started at an unknown time').and.to.include('"https://x.internal/***"')
  })
})

describe('the note of a server', () => {
  const started = async (notes = memoryServerNotes()) => {
    let now = NOW
    let work = () => {}
    let isStopped = false
    const failures: Array<string> = []
    const remove = await noteServer(
      notes,
      { id: '1', name: 'one', settings: HERE },
      {
        now: () => now,
        every: (milliseconds, repeated) => {
          expect(milliseconds).to.equal(MINUTE)
          work = repeated
          return () => {
            isStopped = true
          }
        },
        onFailure: (reason) => failures.push(reason),
      },
    )
    const seen = async () => {
      const listed = await notes.list()
      return '_tag' in listed && listed._tag === 'Right' ? listed.right : []
    }
    return {
      notes,
      remove,
      seen,
      failures,
      isStopped: () => isStopped,
      pass: (milliseconds: number) => {
        now += milliseconds
        work()
      },
    }
  }

  it('is there when the server listens, and is renewed with the same start', async () => {
    const { seen, pass, remove } = await started()
    const first = { id: '1', name: 'one', settings: HERE, startedAt: NOW, seenAt: NOW }
    expect(await seen()).to.deep.equal([first])
    pass(MINUTE)
    await new Promise(setImmediate)
    expect(await seen()).to.deep.equal([{ ...first, seenAt: NOW + MINUTE }])
    await remove()
  })

  it('is gone after the stop, also if a write was under way', async () => {
    const { seen, pass, remove, isStopped } = await started()
    pass(MINUTE)
    await remove()
    expect(await seen()).to.deep.equal([])
    expect(isStopped()).to.equal(true)
  })

  it('tells of the first failure only', async () => {
    const notes = {
      ...memoryServerNotes(),
      write: () => async () => left({ _tag: 'StoreUnavailable', reason: 'SQLITE_FULL' } as const),
    }
    const { failures, pass, remove } = await started(notes)
    pass(MINUTE)
    await remove()
    expect(failures).to.deep.equal(['SQLITE_FULL'])
    expect(await notes.list()).to.deep.equal(right([]))
  })
})
