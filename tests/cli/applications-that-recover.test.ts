import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { applicationsFinding } from '../../adapters/cli/applications-finding.ts'
import { findingsOfTable } from '../../adapters/cli/table-finding.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Application } from '../../domain/application.ts'
import { NO_OWN_LIFETIMES } from '../../domain/lifetimes.ts'
import { onSqlite } from '../support/one-store.ts'
import { settings } from '../support/settings.ts'
import { anApplication } from '../testkit/builders.ts'

onSqlite('applications that serve users and hold users:recover', (stores) => {
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
    expect([mailer.status, mailer.err], 'a separate application').to.deep.equal([0, ''])
    expect(await detail()).to.equal('2 can get tokens.')

    await portcullis('application create --name bare --no-scopes')
    expect(await detail(), 'one without scopes gets none').to.equal('2 can get tokens.')

    const { id } = JSON.parse(mailer.out)
    for (const scope of ['users:sign_in', 'users:register', 'users:manage']) {
      const mixed = await portcullis([
        ...'application set mailer --json --scope'.split(' '),
        `users:recover ${scope}`,
      ])
      expect([mixed.status, mixed.err]).to.deep.equal([0, `Warning: mailer ${warning}\n`])
      expect(await detail()).to.equal(`2 can get tokens. Warning: mailer (${id}) ${warning}`)
    }
    const helper = await portcullis([
      ...'application create --json --name helper --scope'.split(' '),
      'users:recover users:sign_in',
    ])
    expect([helper.status, helper.err]).to.deep.equal([0, `Warning: helper ${warning}\n`])
    await portcullis('application revoke helper')

    await portcullis(`application revoke ${id}`)
    expect(await detail()).to.equal('1 can get tokens.')
  })
})

describe('the check of applications by doctor', () => {
  const findingsFor = (
    applications: ReadonlyArray<Application>,
    environment: Parameters<typeof settings>[0] = {},
  ) => {
    const about = applicationsFinding({ settings: settings(environment) })
    about.take(applications)
    return about.findings()
  }

  it('names five applications that can take over accounts, and counts the others', async () => {
    const scope = ['users:recover', 'users:manage'] as const
    const applications = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => anApplication({ name, scope }))
    const [finding] = await findingsFor(applications)
    expect(finding?.detail).to.match(
      /^7 can get tokens\. Warning: a \(\S+\), b .*, e \(\S+\), and 2 more can take over/,
    )
  })

  it('names applications whose lifetimes do not fit the settings', async () => {
    const lifetimes = { ...NO_OWN_LIFETIMES, sessionTtlSeconds: some(3_600) }
    const shop = anApplication({ name: 'shop', lifetimes })
    const gone = anApplication({ name: 'gone', lifetimes, revoked: true })
    for (const [environment, detail] of [
      [{ USER_TOKEN_TTL: '3600' }, '1 can get tokens.'],
      [
        { USER_TOKEN_TTL: '3601' },
        `1 can get tokens. Warning: shop (${shop.id}): user tokens of 3601 seconds would outlive sessions of 3600 seconds. Their tokens end with the session. Change one lifetime: portcullis application set, or the settings.`,
      ],
      [
        { USER_TOKEN_TTL: '60', SESSION_IDLE_TTL: '3601', SESSION_TTL: '3601' },
        `1 can get tokens. Warning: shop (${shop.id}): an idle time of 3601 seconds would outlive sessions of 3600 seconds. Their tokens end with the session. Change one lifetime: portcullis application set, or the settings.`,
      ],
    ] as const)
      expect(await findingsFor([shop, gone], environment)).to.deep.equal([
        { name: 'applications', ok: true, detail },
      ])
  })

  it('names applications that forget the users first whom they remember', async () => {
    const lifetimes = { ...NO_OWN_LIFETIMES, rememberTtlSeconds: some(3_600) }
    const shop = anApplication({ name: 'shop', lifetimes })
    const gone = anApplication({ name: 'gone', lifetimes, revoked: true })
    for (const [environment, detail] of [
      [{ USER_TOKEN_TTL: '600', SESSION_TTL: '3600' }, '1 can get tokens.'],
      [
        { USER_TOKEN_TTL: '600', SESSION_TTL: '3601' },
        `1 can get tokens. Warning: shop (${shop.id}): remembered sessions of 3600 seconds would end before ordinary ones of 3601 seconds. Raise --remember-ttl, or shorten --session-ttl: portcullis application set, or the settings.`,
      ],
    ] as const)
      expect(await findingsFor([shop, gone], environment)).to.deep.equal([
        { name: 'applications', ok: true, detail },
      ])
  })

  it('fails if the store cannot be read', async () => {
    const store = memoryStore()
    await store.close()
    const [finding] = await findingsOfTable(store, applicationsFinding({ settings: settings({}) }))
    expect(finding).to.include({ name: 'applications', ok: false })
  })
})
