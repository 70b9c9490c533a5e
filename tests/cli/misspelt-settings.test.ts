import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { workplace } from '../support/workplace.ts'

describe('settings that are misspelt or unknown', () => {
  const { portcullis, folder, remove } = workplace()
  const write = (text: string) => writeFileSync(join(folder, '.env'), text)
  beforeEach(() => write(''))
  after(remove)

  for (const words of ['serve', 'user list', 'doctor'])
    it(`stop ${words} with status 78 if they are close to a setting, without their values`, async () => {
      write('KEY_ENCRYPTION_KEY_FILES=hunter2\n')
      const environment = { PASSWORD_POLCY: 'hunter2', TRUSTED_PROXY: 'hunter2' }
      const { status, out, err } = await portcullis(words, { environment })
      expect([status, out]).to.deep.equal([78, ''])
      expect(err.trimEnd().split('\n')).to.have.members([
        'These settings are wrong:',
        '  PASSWORD_POLCY is not a setting. Did you mean PASSWORD_POLICY?',
        '  TRUSTED_PROXY is not a setting. Did you mean TRUST_PROXY?',
        '  KEY_ENCRYPTION_KEY_FILES is not a setting. Did you mean KEY_ENCRYPTION_KEY_FILE?',
      ])
    })

  it('cause a warning if they are in .env, and the command continues', async () => {
    write('FOO=hunter2\nPOSTGRES_PASSWORD=hunter2\naGVsbG8gd29ybGQ=\n')
    const made = await portcullis('application create --name shop --json')
    expect(made.status).to.equal(0)
    expect(made.err).to.equal(
      'Warning: .env contains names that are not settings. They have no effect: FOO, POSTGRES_PASSWORD, 1 more.\n',
    )
    expect(JSON.parse(made.out)).to.include({ name: 'shop' })
  })

  it('cause no warning if they are in the environment', async () => {
    const { err } = await portcullis('application list', { environment: { FOO: '1', PGHOST: 'x' } })
    expect(err).to.equal('')
  })
})
