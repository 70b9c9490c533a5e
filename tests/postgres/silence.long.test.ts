import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { eventually } from '../support/eventually.ts'
import { fail, succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { ANSWER_PATIENCE_MS, onLine, useAtOnce } from './line.ts'

if (postgres !== undefined) {
  describe('a PostgreSQL that stops responding', () => {
    it(
      'fails current and new reads, and is used again when it responds',
      onLine(async ({ store, proxy }) => {
        await succeed(store.listSigningKeys())
        proxy.silence()
        const waited = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => fail(store.listSigningKeys())))
        for (const failure of waited) expect(failure).to.include({ _tag: 'StoreUnavailable' })
        expect(waited.map(({ reason }) => reason)).to.include('Query read timeout')
        await fail(store.findUserByEmail('ada@example.com'))
        proxy.resume()
        await succeed(store.listSigningKeys())
      }),
    )

    it(
      'writes nothing of a refused change, even when the request arrives late',
      onLine(async ({ store, proxy }) => {
        await commitAll(store, change(registered()), change(issuedToken()))
        proxy.silence()
        const refused = await fail(store.commit(change(registered())))
        expect(refused).to.include({ _tag: 'StoreUnavailable' }).and.not.have.property('outcome')
        proxy.resume()
        await commitAll(store, change(registered()))
        expect(await wholeLog(store)).to.have.length(3)
      }),
    )

    for (const [what, statement, made] of [
      ['a COMMIT', /^COMMIT\b/, () => change(registered())],
      ['an append', /INSERT INTO portcullis.log/, () => change(issuedToken())],
    ] as const)
      it(
        `during ${what} leaves the outcome open until it responds, and then the change is written once`,
        onLine(async ({ store, proxy }) => {
          const once = made()
          const onItsWay = proxy.next(statement, 'held')
          const written = succeed(store.commit(once))
          const letGo = await onItsWay
          proxy.silence()
          await fail(store.listSigningKeys()) // more than the time limit for a response has passed
          proxy.resume()
          letGo()
          await written
          expect(await wholeLog(store)).to.have.length(1)
        }),
      )

    it(
      'delays closing its connections by two time limits at most',
      onLine(async ({ connections, proxy }) => {
        await useAtOnce(connections, 3)
        proxy.silence()
        const asked = connections.read('SELECT 1').catch(() => {})
        await connections.close()
        await asked
        proxy.resume()
        await eventually('every connection has ended', async () => proxy.open() === 0 || undefined)
      }),
    )

    it(
      'does not keep a process alive whose connections are closed',
      onLine(async ({ proxy, direct }) => {
        const source = import.meta.url.replace(
          /tests\/postgres\/[^/]*$/,
          'adapters/stores/postgres/connections',
        )
        const script = `
          import { connectionsTo } from '${source}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}'
          const connections = connectionsTo(process.argv[1], 2)
          await connections.read('SELECT 1')
          console.log('read')
          await new Promise((resolve) => process.stdin.once('data', resolve))
          process.stdin.destroy()
          await connections.close()`
        const child = spawn(process.execPath, [
          ...process.execArgv,
          '--input-type=module',
          '-e',
          script,
          proxy.url(direct),
        ])
        await once(child.stdout, 'data')
        proxy.silence()
        child.stdin.end('now')
        expect(await once(child, 'exit')).to.deep.equal([0, null])
      }),
    )

    it(
      'for less than the time limit is only slow',
      onLine(async ({ store, proxy }) => {
        await succeed(store.listSigningKeys())
        proxy.delay(ANSWER_PATIENCE_MS / 4)
        await commitAll(store, change(registered()), change(issuedToken()))
        expect(await wholeLog(store)).to.have.length(2)
      }),
    )

    it(
      'for longer than the time limit counts as unavailable and executes nothing that was refused',
      onLine(async ({ store, proxy }) => {
        await succeed(store.listSigningKeys())
        proxy.delay(2 * ANSWER_PATIENCE_MS)
        await fail(store.listSigningKeys())
        expect(await fail(store.commit(change(registered())))).not.to.have.property('outcome')
        proxy.delay(0)
        await eventually(
          'it responds in time',
          async () => (await store.listSigningKeys()())._tag === 'Right' || undefined,
        )
        const late = change(issuedToken())
        await succeed(store.listSigningKeys())
        proxy.delay(2 * ANSWER_PATIENCE_MS)
        const written = store.commit(late)()
        await fail(store.listSigningKeys())
        proxy.delay(0)
        expect((await written)._tag).to.equal('Right')
        expect((await wholeLog(store)).map(({ id }) => id)).to.deep.equal([late.id])
      }),
    )

    it(
      'during connecting fails like an unavailable connection',
      onLine(async ({ proxy, direct }) => {
        proxy.silence()
        const connections = connectionsTo(proxy.url(direct), 2, {
          queryTimeoutMs: ANSWER_PATIENCE_MS,
          patienceMs: ANSWER_PATIENCE_MS,
        })
        const errors = await Promise.all(
          [1, 2, 3].map(() => connections.read('SELECT 1').catch((error: Error) => error)),
        )
        for (const error of errors) expect(error).to.be.instanceOf(Error)
        await connections.close()
      }),
    )
  })
}
