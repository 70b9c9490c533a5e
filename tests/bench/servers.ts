import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import readRaw from 'raw-body'
import * as declared from 'scrypt-kdf'

/** Serves one of the ceilings: `node servers.js hello` or `node servers.js scrypt`. */
const SERVERS: Readonly<Record<string, () => RequestListener>> = {
  /** The ceiling of fast requests: a minimal service on Koa and @koa/router. */
  hello: () => {
    const router = new Router()
    router.get('/hello', (context) => {
      context.body = { hello: 'world' }
    })
    router.post('/hello', async (context) => {
      const body = JSON.parse((await readRaw(context.req)).toString())
      context.body = { hello: body.public_api_key }
    })
    return new Koa().use(router.routes()).callback()
  },

  /** The ceiling of requests with a password: only the hashes, at the shipped cost. `/2` computes two. */
  scrypt: () => {
    const scrypt = (declared as unknown as { default: typeof declared }).default
    return async ({ url = '/1' }, response) => {
      for (let left = Number(url.slice(1)); left > 0; left -= 1)
        await scrypt.kdf('correct horse battery staple', { logN: 15, r: 8, p: 3 })
      response.end('done')
    }
  },
}

const [, , name = ''] = process.argv
const server = createServer(SERVERS[name]?.())
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = server.address()
if (typeof address === 'object' && address !== null)
  process.stdout.write(`${name} listens on http://127.0.0.1:${address.port}\n`)
