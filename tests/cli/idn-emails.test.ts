import { expect } from 'chai'
import { importLine } from '../support/import-file.ts'
import { onSqlite } from '../support/one-store.ts'

const KEPT = 'ada@xn--bcher-kva.example'

onSqlite('e-mails of domains with other letters, in commands', (stores) => {
  const { portcullis, remove } = stores.workplace()
  after(remove)

  it('are kept in ASCII, and found in every form', async () => {
    const made = await portcullis('user create --email ada@BÜCHER.example --password-stdin --json', {
      input: 'correct horse',
    })
    const { id, email } = JSON.parse(made.out)
    expect(email).to.equal(KEPT)
    for (const command of [
      'user show ada@bücher.example --json',
      `user show ${KEPT} --json`,
      'user list --email ada@bücher.example --json',
      'user end-sessions ada@bücher.example --json',
      'user history ada@bücher.example --limit 1 --json',
    ]) {
      const { status, out } = await portcullis(command)
      expect([status, out.includes(id)], command).to.deep.equal([0, true])
    }
  })

  it('are imported in ASCII, and known in every form', async () => {
    const lines = [' grace@bücher.example ', 'grace@xn--bcher-kva.example', 'ada@bücher.example'].map(
      (email) => importLine(email),
    )
    const report = await portcullis('user import - --json', { input: lines.join('') })
    expect(JSON.parse(report.out)).to.deep.include({ imported: 1, known: 2, bad: 0 })
    const { out } = await portcullis('user list --email grace@xn--bcher-kva.example --json')
    expect(JSON.parse(out).email).to.equal('grace@xn--bcher-kva.example')
  })
})
