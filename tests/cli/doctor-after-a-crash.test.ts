import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { workplace } from '../support/workplace.ts'

describe('portcullis doctor beside a server that was killed', () => {
  const { database, portcullis, asProcess, remove } = workplace()
  after(remove)

  it('reads what it had not moved into the database yet, and leaves it where it is, byte for byte', async () => {
    const server = await asProcess.serve()
    await portcullis('application create --name shop')
    await server.end('SIGKILL')
    const left = () => ['', '-wal'].map((end) => readFileSync(database + end, 'base64'))
    const before = left()
    expect(before[1], 'a write-ahead log').to.not.equal('')

    const { status, out, err } = await portcullis('doctor --json', { environment: DEFAULT_COST })
    expect([status, err]).to.deep.equal([0, ''])
    expect(JSON.parse(out).checks).to.deep.include({
      name: 'log',
      ok: true,
      detail: '3 entries and 3 rows agree.',
    })
    expect(left()).to.deep.equal(before)
  })
})
