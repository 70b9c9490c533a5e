import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { processWorkplace } from '../support/command.ts'
import { inCommon } from '../support/copied-contents.ts'
import { importLines } from '../support/import-file.ts'
import type { Place } from '../support/store-kind.ts'
import { SHARED_STORES } from '../support/stores.ts'

const USERS = 5_000
const KILLS = 20

for (const from of SHARED_STORES)
  for (const to of SHARED_STORES.filter((kind) => kind !== from))
    describe(`store copy from ${from.name} to ${to.name}, killed at random moments`, function () {
      this.timeout(600_000)
      let [source, target] = ['', '']
      const place = processWorkplace(undefined, () => ({ DATABASE_URL: source }))
      const places: Array<Place> = []
      after(async () => {
        place.remove()
        for (const { remove } of places) await remove()
      })

      const layOut = async (kind: typeof from): Promise<string> => {
        const made = await kind.layOut()
        places.push(made)
        return made.url
      }
      let made = 0
      /** Whether this store takes a change. */
      const accepts = async (url: string): Promise<boolean> => {
        made += 1
        const words = `user create --email user-${made}@example.net --password-stdin`
        const { status } = await place.portcullis(words, {
          input: 'secret',
          environment: { DATABASE_URL: url },
        })
        return status === 0
      }
      const copy = async () => {
        const { status, out, err } = await place.portcullis(`store copy ${target} --json`)
        expect(status, err).to.equal(0)
        return JSON.parse(out)
      }
      const expectCopied = async () => {
        const [here, there] = [await from.contents(source), await to.contents(target)]
        expect(there.log.length).to.be.greaterThan(USERS)
        expect(inCommon(there)).to.deep.equal(inCommon(here))
      }

      it('leaves the source open and complete, or a repetition finishes', async () => {
        source = await layOut(from)
        await place.portcullis('application create --name shop')
        const { status } = await place.portcullis('user import -', { input: importLines(USERS) })
        expect(status).to.equal(0)
        const begun = performance.now()
        target = await layOut(to)
        await copy()
        const duration = performance.now() - begun

        for (let kill = 0; kill < KILLS; kill += 1) {
          expect((await place.portcullis('events renew')).status).to.equal(0)
          target = await layOut(to)
          const before = await from.contents(source)
          const run = place.begin(`store copy ${target} --json`, '')
          await setTimeout(Math.random() * duration)
          await run.end('SIGKILL')
          expect((await from.contents(source)).log, 'the source is as it was').to.deep.equal(before.log)
          const isOpen = await accepts(source)
          const { copy_id, rows } = await copy()
          expect([copy_id.length, rows > USERS]).to.deep.equal([36, true])
          await expectCopied()
          expect(await accepts(source), `it was ${isOpen ? 'open' : 'moved'} after the kill`).to.equal(false)
          expect(await accepts(target)).to.equal(true)
        }
      })
    })
