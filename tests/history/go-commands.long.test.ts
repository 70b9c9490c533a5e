import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { onEverySharedStore } from '../support/every-store.ts'
import { integrated } from '../support/integration.ts'
import { TREE_EMPTIED } from './attack-sql.ts'
import { describeWithGo } from './go-verifier.ts'

const SECRET = '5ec2e7'.repeat(8)
const SETTINGS = {
  PUBLIC_URL: 'https://auth.example.com',
  EVENT_LOG_KEY: `log:${SECRET}`,
}
const SIGNER = { keys: [{ secret: SECRET }], publicUrl: SETTINGS.PUBLIC_URL }

describeWithGo('portcullis events export, verified by Go', (verifier) => {
  onEverySharedStore('with events key and events checkpoint', (stores) => {
    const { folder, portcullis, remove, url, withStore } = stores.workplace()
    after(remove)

    const run = async (words: string, input = ''): Promise<string> => {
      const { status, out, err } = await portcullis(words, { input, environment: SETTINGS })
      expect(status, err).to.equal(0)
      return out
    }

    it('is accepted while the log grows, and continues every kept checkpoint', async () => {
      const exported = join(folder, 'exported')
      const kept: Array<string> = []
      await run('application create --name shop')
      const vkey = (await run('events key')).trim()
      for (const name of ['ada', 'bob', 'eve']) {
        await run(`user create --email ${name}@example.com --password-stdin`, 'correct horse battery staple')
        await run('events export exported')
        const note = await run('events checkpoint')
        const [, size, root] = note.split('\n')
        expect(await verifier(exported, vkey, ...kept)).to.deep.equal({
          status: 0,
          out: `ok ${size} ${root}\n`,
          err: '',
        })
        kept.push(join(folder, `${name}.txt`))
        writeFileSync(kept.at(-1) ?? '', note)
      }
      expect(kept).to.have.length(3)
    })

    it('is accepted with an entry of a type that a later version has written', async () => {
      const [, size] = (await run('events checkpoint')).split('\n')
      const next = Number(size) + 1
      await stores.kind.spoil(
        url(),
        `INSERT INTO log (position, id, type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data)
         SELECT ${next}, 'later', 'InventedLater', 9, at, 'thing', subject_id, actor_kind, actor_id, request_id, '{"a": 1,"ü":[]}'
         FROM log WHERE position = 1`,
        ...(stores.kind.name === 'SQLite' ? [] : [`UPDATE head SET position = ${next}`]),
      )
      await withStore((store) => integrated(store, SIGNER))
      const { out } = await portcullis('events export exported', { environment: SETTINGS })
      expect(out).to.contain(`${next}`)
      expect(await verifyFolder('exported')).to.deep.equal({ status: 0, size: next, ours: 0 })
      expect(await verifyFolder('exported', 'ada.txt')).to.deep.equal({ status: 0, size: next, ours: 0 })
    })

    it('is refused with a kept checkpoint after one byte was changed, and the tree was rebuilt and signed with the key', async () => {
      const kept = await run('events checkpoint')
      writeFileSync(join(folder, 'kept.txt'), kept)
      const size = Number(kept.split('\n')[1])
      await stores.kind.spoil(
        url(),
        "UPDATE log SET data = replace(CAST(data AS text), 'shop', 'sh0p') WHERE position = 1",
        'DELETE FROM tiles',
        TREE_EMPTIED,
      )
      await withStore((store) => integrated(store, SIGNER))
      expect((await portcullis('events export exported', { environment: SETTINGS })).status).to.equal(1)
      await run('events export forged')
      expect(await verifyFolder('forged'), 'without a checkpoint').to.deep.equal({ status: 0, size, ours: 0 })
      for (const file of ['ada.txt', 'kept.txt'])
        expect(await verifyFolder('forged', file)).to.deep.equal({ status: 1, size: undefined, ours: 1 })
      expect(await verifyFolder('exported', 'kept.txt'), 'the export from before').to.deep.equal({
        status: 0,
        size,
        ours: 0,
      })
    })

    /** What Go says of an export and a kept checkpoint, and the exit status of our command. */
    const verifyFolder = async (exported: string, ...kept: ReadonlyArray<string>) => {
      const vkey = (await run('events key')).trim()
      const paths = kept.map((file) => join(folder, file))
      const { status, out } = await verifier(join(folder, exported), vkey, ...paths)
      const against = kept.map((file) => ` --against ${file}`).join('')
      const ours = await portcullis(`events verify --from ${exported} --vkey ${vkey}${against}`)
      return { status, size: out === '' ? undefined : Number(out.split(' ')[1]), ours: ours.status }
    }
  })
})
