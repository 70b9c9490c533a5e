import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { apiClient } from '../support/api-client.ts'
import { eventually } from '../support/eventually.ts'
import { bcryptRecord, importLine } from '../support/import-file.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'

const USERS = 1_000

onSqlite('1,000 users with records of bcrypt, imported by a process beside a running server', (stores) => {
  const { folder, serve, asProcess, portcullis, entries, withStore, remove } = stores.workplace()
  after(remove)
  const passwordOf = (index: number) => `the password of user ${index}`
  const emailOf = (index: number) => `user${index}@example.com`

  it('can sign in with their passwords, and get records of this service', async () => {
    const made = await portcullis('application create --name shop --json')
    const server = await serve()
    const api = apiClient(server.url)
    try {
      const record = await bcryptRecord(passwordOf(777))
      const lines = Array.from({ length: USERS }, (_, index) =>
        importLine(emailOf(index), index === 777 ? { password_hash: record } : {}),
      )
      writeFileSync(join(folder, 'users.jsonl'), lines.join(''))
      expect(await asProcess.portcullis('user import users.jsonl --json')).to.deep.equal({
        status: 0,
        out: `${JSON.stringify({ lines: USERS, imported: USERS, known: 0, bad: 0 })}\n`,
        err: '',
      })

      const { token } = (await api.issueToken(JSON.parse(made.out))).body
      const find = async () =>
        toUndefined(await withStore((store) => succeed(store.findUserByEmail(emailOf(777)))))
      const before = await find()
      expect(before?.passwordRecord).to.equal(record)
      expect((await api.signIn(token, emailOf(777), passwordOf(778))).status).to.equal(422)
      expect((await find())?.passwordRecord, 'after a wrong password').to.equal(record)
      const signedIn = await api.signIn(token, emailOf(777), passwordOf(777))
      expect(signedIn.status).to.equal(200)
      expect(signedIn.body.user_id).to.equal(before?.id)

      // The record is replaced after the answer.
      const replaced = await eventually('the record is replaced', async () => {
        const { passwordRecord, passwordScheme } = (await find()) ?? {}
        return passwordRecord?.startsWith('1$') ? passwordScheme : undefined
      })
      expect(replaced).to.match(/^scrypt /)
      expect((await api.signIn(token, emailOf(777), passwordOf(777))).status).to.equal(200)
      expect(await api.profileStatus(signedIn.body.token), 'the session goes on').to.equal(200)
      expect((await entries('PasswordRehashed')).map(({ subject }) => subject.id)).to.deep.equal([before?.id])
    } finally {
      await api.close()
      await server.end()
    }

    const { checks } = JSON.parse((await portcullis('doctor --json')).out)
    const found = (name: string) => checks.find((check: { name: string }) => check.name === name)
    expect(found('log')).to.include({ ok: true })
    expect(found('passwords')).to.include({ ok: true })
    expect(found('passwords').detail).to.match(/^1 are up to date\. 999 will be rehashed .* 999 of them came/)
    expect(found('passwords').detail).to.include('bcrypt:4 (999); scrypt ')
  })
})
