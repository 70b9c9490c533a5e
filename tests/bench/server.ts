import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import Router from '@koa/router'
import Koa from 'koa'
import readRaw from 'raw-body'
import * as declared from 'scrypt-kdf'
import { pasetoUserTokens } from '../../adapters/driven/paseto/user-tokens.ts'
import { compose, Dependency, provide } from '../../adapters/index.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'

/**
 * One server of a comparison, in a process of its own so that its CPU time is nobody else's. It tells its parent
 * where it listens, and answers every message with the CPU time it has used.
 */
const [, , what = '', folder = '.'] = process.argv

/** What quick requests are compared with: the least a service on Koa and @koa/router can do. */
const koaHello = (): Promise<object> => {
  const router = new Router()
  router.get('/hello', (context) => {
    context.body = { hello: 'world' }
  })
  router.post('/hello', async (context) => {
    const body = JSON.parse((await readRaw(context.req)).toString())
    context.body = { hello: body.public_api_key }
  })
  return listening(createServer(new Koa().use(router.routes()).callback()))
}

/** What sign-ins are compared with: nothing but the hash, at the shipped cost. */
const rawScrypt = (): Promise<object> => {
  const scrypt = (declared as unknown as { default: typeof declared }).default
  return listening(
    createServer(async (_request, response) => {
      await scrypt.kdf('correct horse battery staple', { logN: 15, r: 8, p: 3 })
      response.end('done')
    }),
  )
}

const listening = async (server: Server): Promise<object> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? { port: address.port } : {}
}

/** The service as it ships: the shipped cost of a hash, SQLite on disk, a line in the log for each request. */
const portcullis = async (): Promise<object> => {
  const service = await compose(
    settings({
      DATABASE_URL: `sqlite:${join(folder, `${what}.db`)}`,
      SCRYPT_LOG_N: '',
      SCRYPT_P: '',
      LOG_LEVEL: 'info',
    }),
    // Every token is one that was not seen before, where nothing remembers any.
    ...(what === 'forgetful' ? [provide(Dependency.userTokens, pasetoUserTokens)] : []),
  )
  const made = await succeed(
    service.registerApplication(CONTEXT, { name: 'bench', scope: 'users:sign_in users:register' }),
  )
  const credentials = { email: 'bench@example.com', password: 'correct horse battery staple' }
  await succeed(service.registerUser(CONTEXT, credentials, OPERATOR))
  return {
    port: await service.listen('127.0.0.1', 0),
    keys: { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey },
    credentials,
  }
}

const SERVERS: Readonly<Record<string, () => Promise<object>>> = {
  hello: koaHello,
  scrypt: rawScrypt,
  portcullis,
  forgetful: portcullis,
}

process.on('message', () => process.send?.(process.cpuUsage()))
process.send?.(await SERVERS[what]?.())
