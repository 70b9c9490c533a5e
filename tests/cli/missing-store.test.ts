import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ONE_SHOT_COMMANDS } from '../support/commands.ts'
import { runHere } from '../support/run-here.ts'
import { workplace } from '../support/workplace.ts'

describe('in a folder without a store', () => {
  const { folder, portcullis, asProcess, remove } = workplace()
  after(remove)
  const database = join(folder, 'none', 'store.db')

  for (const [command, rest] of [
    ...ONE_SHOT_COMMANDS.filter(([name]) => !name.endsWith('create')),
    ['user import users.jsonl --dry-run', ''],
  ] as const) {
    it(`portcullis ${command} fails and makes none`, async () => {
      const { status, out, err } = await runHere(`${command}${rest}`, {
        DATABASE_URL: `sqlite:${database}`,
      })
      expect(status).to.equal(1)
      expect(out + err).to.match(/there is no (store|file) \S+store\.db|store \S+store\.db does not exist/i)
      expect(existsSync(join(folder, 'none'))).to.equal(false)
    })
  }

  it('portcullis user list says where to run it, and ends the process with status 1', async () => {
    expect(await asProcess.portcullis('user list')).to.deep.equal({
      status: 1,
      out: '',
      err: 'There is no store ./data/portcullis.db. Run this command in the folder of the service, or check DATABASE_URL.\n',
    })
  })

  it('portcullis application create makes one', async () => {
    expect((await portcullis('application create --name shop')).status).to.equal(0)
    expect((await portcullis('application list')).out).to.match(/ {2}shop {2}/)
  })
})
