import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { workplace } from '../support/workplace.ts'

describe('names that are not settings', () => {
  const { portcullis, folder, remove } = workplace()
  const write = (text: string) => writeFileSync(join(folder, '.env'), text)
  beforeEach(() => write(''))
  after(remove)

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
