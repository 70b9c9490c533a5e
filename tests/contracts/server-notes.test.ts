import { expect } from 'chai'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { openStorage } from '../../adapters/stores/products.ts'
import { notesIn, rowOfNote } from '../../adapters/stores/records/server-note.ts'
import { NOTES_AT_MOST, type ServerNote } from '../../application/ports/server-notes.ts'
import { settings } from '../support/settings.ts'
import { STORES } from '../support/stores.ts'

const note = (id: number, seenAt = id): ServerNote => ({
  id: `id ${id}`,
  name: 'http://[::1]:8080 on "wéb\u0001"',
  startedAt: 1_000_000_000_000,
  seenAt,
  settings: { PUBLIC_URL: 'https://a.internal', '--with': 'not given' },
})

describe('the rows of notes of servers', () => {
  for (const [column, value] of [
    ['settings', '{'],
    ['settings', '[1]'],
    ['settings', '{"PORT":1}'],
    ['settings', null],
    ['seen_at', 1.5],
    ['id', null],
  ] as const)
    it(`are left out if they are damaged: ${column} is ${value}`, () => {
      const damaged = { ...rowOfNote(note(1)), [column]: value }
      expect(notesIn([damaged, rowOfNote(note(2))])).to.deep.equal([note(2)])
    })
})

for (const { name, isShared, layOut } of STORES)
  describe(`the notes of servers, kept by ${name}`, () => {
    const opened = async () => {
      const { url, remove } = await layOut()
      const open = async (opening: 'migrate' | 'read-only' = 'migrate') => {
        const storage = await openStorage(settings({ DATABASE_URL: url }), { clock: () => 0, opening })
        const { store, serverNotes: notes } = storage
        if (notes === undefined) throw new Error('it keeps no notes')
        const list = async () => {
          const listed = await notes.list()
          return isRight(listed) ? listed.right : []
        }
        return { notes, list, close: () => store.close() }
      }
      return { open, remove }
    }

    it('come back as they were written, the last seen first', async () => {
      const { open, remove } = await opened()
      const { notes, list, close } = await open()
      for (const one of [note(1), note(3), note(2)]) expect(isRight(await notes.write(one)())).to.equal(true)
      expect(await list()).to.deep.equal([note(3), note(2), note(1)])
      await close()
      await remove()
    })

    it('are replaced by a note of the same server, and removed', async () => {
      const { open, remove } = await opened()
      const { notes, list, close } = await open()
      await notes.write(note(1))()
      await notes.write(note(2))()
      await notes.write({ ...note(1, 9), settings: {} })()
      expect(await list()).to.deep.equal([{ ...note(1, 9), settings: {} }, note(2)])
      await notes.remove('id 1')()
      await notes.remove('id 1')()
      expect(await list()).to.deep.equal([note(2)])
      await close()
      await remove()
    })

    it(`are at most ${NOTES_AT_MOST}: those that were seen first go`, async () => {
      const { open, remove } = await opened()
      const { notes, list, close } = await open()
      for (let id = 0; id < NOTES_AT_MOST + 3; id += 1) await notes.write(note(id))()
      const kept = await list()
      expect(kept).to.have.lengthOf(NOTES_AT_MOST)
      expect(kept.at(-1)).to.deep.equal(note(3))
      await close()
      await remove()
    })

    if (isShared)
      it('are shared with a command that only reads', async () => {
        const { open, remove } = await opened()
        const server = await open()
        await server.notes.write(note(1))()
        const command = await open('read-only')
        expect(await command.list()).to.deep.equal([note(1)])
        await command.close()
        await server.close()
        const later = await open('read-only')
        expect(await later.list()).to.deep.equal([note(1)])
        await later.close()
        await remove()
      })

    if (isShared)
      it('fail without an exception when the store is gone', async () => {
        const { open, remove } = await opened()
        const { notes, close } = await open()
        await close()
        await remove()
        expect(await notes.write(note(1))()).to.have.property('_tag', left(0)._tag)
        expect(await notes.list()).to.have.property('_tag', left(0)._tag)
        await notes.remove('id 1')()
      })
  })
