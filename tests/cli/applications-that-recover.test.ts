import { expect } from 'chai'
import { applicationsFinding } from '../../adapters/cli/applications-finding.ts'
import type { Operations } from '../../adapters/cli/composition.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { succeed } from '../support/outcome.ts'
import { anApplication, change, registeredApplication } from '../testkit/builders.ts'

onEverySharedStore('applications with the scope users:recover', (stores) => {
  const { portcullis, remove } = stores.workplace()
  const warning = 'can take over any account (users:recover). Use a separate application for this scope.'
  after(remove)

  it('are warned of when they are created, and by doctor until they are revoked', async () => {
    const detail = async (): Promise<string> => {
      const { checks } = JSON.parse((await portcullis('doctor --json')).out)
      const found = checks.find(({ name }: { name: string }) => name === 'applications')
      expect(found.ok).to.equal(true)
      return found.detail
    }
    const shop = await portcullis('application create --name shop --json')
    expect([shop.status, shop.err]).to.deep.equal([0, ''])
    expect(await detail()).to.equal('1 can get tokens.')

    const mailer = await portcullis('application create --name mailer --scope users:recover --json')
    expect([mailer.status, mailer.err]).to.deep.equal([0, `Warning: mailer ${warning}\n`])
    const { id, scope: granted } = JSON.parse(mailer.out)
    expect(granted).to.equal('users:recover')
    expect(await detail()).to.equal(`2 can get tokens. Warning: mailer (${id}) ${warning}`)

    await portcullis(`application revoke ${id}`)
    expect(await detail()).to.equal('1 can get tokens.')
  })
})

describe('the check of applications by doctor', () => {
  it('names five applications that can take over accounts, and counts the others', async () => {
    const store = memoryStore()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      await succeed(
        store.commit(change(registeredApplication(anApplication({ name, scope: ['users:recover'] })))),
      )
    const { detail } = await applicationsFinding({ store } as unknown as Operations) // it reads only the store
    expect(detail).to.match(
      /^7 can get tokens\. Warning: a \(\S+\), b .*, e \(\S+\), and 2 more can take over/,
    )
  })

  it('fails if the store cannot be read', async () => {
    const store = memoryStore()
    await store.close()
    const finding = await applicationsFinding({ store } as unknown as Operations)
    expect(finding).to.include({ name: 'applications', ok: false })
  })
})
