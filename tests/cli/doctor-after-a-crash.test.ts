import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { workplace } from '../support/workplace.ts'

describe('portcullis doctor after a server was killed', () => {
  const { database, portcullis, asProcess, remove } = workplace()
  after(remove)

  it('reads the write-ahead log, and changes no byte of it', async () => {
    const environment = { ...DEFAULT_COST, PUBLIC_URL: 'http://localhost' }
    const server = await asProcess.serve('serve', environment)
    await portcullis('application create --name shop')
    await server.end('SIGKILL')
    const left = () => ['', '-wal'].map((end) => readFileSync(database + end, 'base64'))
    const before = left()
    expect(before[1], 'a write-ahead log').to.not.equal('')

    const { status, out, err } = await portcullis('doctor --json', { environment })
    expect([status, err]).to.deep.equal([0, ''])
    expect(JSON.parse(out).checks).to.deep.include({
      name: 'log',
      ok: true,
      detail: '3 entries and 3 rows agree.',
    })
    expect(left()).to.deep.equal(before)
  })
})
