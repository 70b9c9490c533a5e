import { expect } from 'chai'
import { importLines } from '../support/import-file.ts'
import { onSqlite, type StoreSettings } from '../support/one-store.ts'
import { startHere } from '../support/run-here.ts'
import { terminal } from '../support/terminal.ts'

onSqlite('the progress of doctor', ({ fresh }) => {
  let environment: StoreSettings
  before(async () => {
    environment = await fresh()
    await startHere('application create --name shop', { environment }).ended
    await startHere('user import -', { environment, input: importLines(1_001) }).ended
  })

  it('shows each long check on a terminal, and leaves only the result', async () => {
    const { stream, written } = terminal()
    const { out, err } = await startHere('doctor', { environment, terminal: stream }).ended
    const alone = await startHere('doctor', { environment }).ended
    expect(err).to.equal(alone.err)
    expect(out.split('\n').length).to.equal(alone.out.split('\n').length)
    expect(out).to.include('1002 entries and 1002 rows agree.')
    const checks = [
      ...['store', 'log: 0 of 1002', 'users: 0 of 1001', 'applications: 0 of 1'],
      'passwords: 0 of 1001',
    ]
    const places = checks.map((check) => written().indexOf(`0% | ${check}`))
    expect(places).not.to.include(-1)
    expect(places).to.deep.equal([...places].sort((one, other) => one - other))
    expect(written()).to.match(/100% \| passwords: 1001 of 1001/)
    expect(written().endsWith(ERASED), 'the bar is erased').to.equal(true)
    expect(written(), 'the terminal stays as it is').not.to.match(/\[\?(?:7|25)l/)
  })

  it('is not in the JSON on standard output', async () => {
    const { stream, written } = terminal()
    const { out } = await startHere('doctor --json', { environment, terminal: stream }).ended
    expect(JSON.parse(out)).to.have.all.keys('ok', 'checks')
    expect(written()).to.include('| log: 0 of 1002')
  })
})

/** Clears a terminal from the cursor to its end. */
const ERASED = '\u001b[0J'
