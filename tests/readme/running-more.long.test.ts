import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { freePort, main, processWorkplace } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { postgres } from '../support/postgres.ts'
import { CHEAP } from '../support/settings.ts'
import { codeIn } from './page.ts'

const page = readFileSync('docs/scale-out.md', 'utf8')
const [commands = ''] = codeIn(page, 'sh')
const [statements = ''] = codeIn(page, 'sql')

if (postgres !== undefined) {
  const server = postgres

  describe('the commands of docs/scale-out.md', () => {
    const { folder, portcullis, remove } = processWorkplace()
    after(remove)

    /** Runs the commands in a shell of their own, with another database and port, until they say that they listen. */
    const paste = async (url: string) => {
      const port = await freePort()
      const served = `exec "${process.execPath}" "${main}" serve`
      const said = commands
        .replace(/postgres:\S+/, url)
        .replace(/^node dist\/adapters\/main\.js serve$/m, served)
      expect(said).to.include(`DATABASE_URL=${url}\n`).and.include(served)
      const child = spawn('sh', ['-e', '-c', said], {
        cwd: folder,
        env: {
          ...CHEAP,
          PATH: process.env.PATH,
          PORT: String(port),
          PUBLIC_URL: 'http://both.test',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [line] = await once(createInterface(child.stdout), 'line')
      expect(line).to.include(`Its store is postgres://127.0.0.1:${server.port}/`)
      return { child, client: httpClient(`http://127.0.0.1:${port}`) }
    }

    it('start instances that share all there is', async () => {
      // By another name: the superuser of the tests has this one.
      const made = statements.trim().split('\n')
      expect(made).to.have.lengthOf(2)
      for (const statement of made) await server.ask(statement.replaceAll('portcullis', 'pasted'))
      const url = `postgres://pasted:SECRET@127.0.0.1:${server.port}/pasted`
      const instances = await Promise.all([paste(url), paste(url)])
      const environment = { DATABASE_URL: url }
      const { out } = await portcullis('application create --name shop --json', { environment })
      await portcullis('user create --email ada@example.com --password-stdin', {
        input: 'secret',
        environment,
      })
      const { public_api_key, private_api_key } = JSON.parse(out)
      const [one, other] = instances
      const issued = await one?.client.send({
        method: 'POST',
        path: '/api/v1/auth/application/token',
        body: { public_api_key, private_api_key },
      })
      const signedIn = await other?.client.send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token: issued?.body.token,
        body: { email: 'ada@example.com', password: 'secret' },
      })
      const profile = await one?.client.send({
        method: 'GET',
        path: '/api/v1/profile',
        token: signedIn?.body.token,
      })
      expect(profile?.body).to.include({ email: 'ada@example.com' })
      for (const { child, client } of instances) {
        await client.close()
        child.kill('SIGTERM')
        expect((await once(child, 'exit'))[0]).to.equal(0)
      }
      await server.ask('DROP DATABASE pasted WITH (FORCE)')
      await server.ask('DROP ROLE pasted')
    })
  })
}
