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
 * One server of a comparison, in a separate process so that its CPU time is measured alone. It sends its parent
 * its port, and answers every message with its CPU time so far.
 */
const [, , what = '', folder = '.'] = process.argv

/** The baseline for fast requests: a minimal service on Koa and @koa/router. */
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

/** The baseline for sign-ins: only the hash, at the shipped cost. */
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

/** The service with its defaults: the shipped hash cost, SQLite on disk, a log line for each request. */
const portcullis = async (): Promise<object> => {
  const service = await compose(
    settings({
      DATABASE_URL: `sqlite:${join(folder, `${what}.db`)}`,
      SCRYPT_LOG_N: '',
      SCRYPT_P: '',
      LOG_LEVEL: 'info',
    }),
    // Without a cache, every token counts as new.
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
