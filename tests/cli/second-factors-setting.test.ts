import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { workplace } from '../support/workplace.ts'

describe('SECOND_FACTORS=on', () => {
  const { portcullis, folder, remove } = workplace()
  after(remove)
  const SECOND_FACTORS = 'on'

  for (const words of ['serve', 'user list', 'doctor'])
    it(`stops ${words} with status 78 without KEY_ENCRYPTION_KEY, which the message names`, async () => {
      const { status, out, err } = await portcullis(words, { environment: { SECOND_FACTORS } })
      expect([status, out]).to.deep.equal([78, ''])
      expect(err).to.equal(
        'These settings are wrong:\n  SECOND_FACTORS=on requires KEY_ENCRYPTION_KEY, which encrypts the secrets of the factors. Set that too\n',
      )
    })

  it('takes the key of KEY_ENCRYPTION_KEY_FILE', async () => {
    const KEY_ENCRYPTION_KEY_FILE = join(folder, 'key')
    writeFileSync(KEY_ENCRYPTION_KEY_FILE, `2026:${'s'.repeat(32)}\n`, { mode: 0o600 })
    const environment = { SECOND_FACTORS, KEY_ENCRYPTION_KEY_FILE }
    expect((await portcullis('application create --name shop', { environment })).status).to.equal(0)
  })
})
