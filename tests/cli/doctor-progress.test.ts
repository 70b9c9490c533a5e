import { expect } from 'chai'
import { base32 } from '../../domain/base32.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { importLine, importLines } from '../support/import-file.ts'
import { onSqlite, type StoreSettings } from '../support/one-store.ts'
import { startHere } from '../support/run-here.ts'
import { terminal } from '../support/terminal.ts'

onSqlite('the progress of doctor', ({ fresh }) => {
  let environment: StoreSettings
  before(async () => {
    environment = { ...FACTOR_SETTINGS, ...(await fresh()) }
    await startHere('application create --name shop', { environment }).ended
    const last = importLine('last@example.com', { email_verified: true, totp: [{ secret: SECRET }] })
    await startHere('user import -', { environment, input: `${importLines(1_000)}${last}` }).ended
  })

  it('shows each long check on a terminal, and leaves only the result', async () => {
    const { stream, written } = terminal()
    const { out, err } = await startHere('doctor', { environment, terminal: stream }).ended
    const alone = await startHere('doctor', { environment }).ended
    expect(err).to.equal(alone.err)
    expect(out.split('\n').length).to.equal(alone.out.split('\n').length)
    expect(out).to.include('1003 entries and 1003 rows agree.')
    const checks = ['store', 'log: 0 of 1003', 'users: 0 of 1001', 'applications: 0 of 1', 'factors: 0 of 1']
    const places = checks.map((check) => written().indexOf(`0% | ${check}`))
    expect(places).not.to.include(-1)
    expect(places).to.deep.equal([...places].sort((one, other) => one - other))
    expect(written()).to.match(/100% \| factors: 1 of 1/)
    expect(written().endsWith(ERASED), 'the bar is erased').to.equal(true)
    expect(written(), 'the terminal stays as it is').not.to.match(/\[\?(?:7|25)l/)
  })

  it('is not in the JSON on standard output', async () => {
    const { stream, written } = terminal()
    const { out } = await startHere('doctor --json', { environment, terminal: stream }).ended
    expect(JSON.parse(out)).to.have.all.keys('ok', 'checks')
    expect(written()).to.include('| log: 0 of 1003')
  })
})

const SECRET = base32(new Uint8Array(20))

/** Clears a terminal from the cursor to its end. */
const ERASED = '\u001b[0J'
