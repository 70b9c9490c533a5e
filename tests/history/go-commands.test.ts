import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { onEverySharedStore } from '../support/every-store.ts'
import { describeWithGo } from './go-verifier.ts'

const SETTINGS = {
  PUBLIC_URL: 'https://auth.example.com',
  EVENT_LOG_KEY: `log:${'5ec2e7'.repeat(8)}`,
}

describeWithGo('portcullis events export, verified by Go', (verifier) => {
  onEverySharedStore('with events key and events checkpoint', (stores) => {
    const { folder, portcullis, remove } = stores.workplace()
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
  })
})
