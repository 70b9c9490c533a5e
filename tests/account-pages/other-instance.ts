import { Agent, request } from 'undici'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, type Module } from '../../adapters/index.ts'
import { settings } from '../support/settings.ts'
import type { PageAnswer, PagesService } from './pages-service.ts'

/** Another instance of a service with pages, on the store of the modules. */
export const startOther = async (
  environment: Environment,
  ...modules: ReadonlyArray<Module>
): Promise<Pick<PagesService, 'get' | 'post' | 'stop'>> => {
  const service = await compose(settings({ ACCOUNT_PAGES: 'on', ...environment }), ...modules)
  const baseUrl = `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`
  const dispatcher = new Agent()
  const send = async (
    method: 'GET' | 'POST',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | null,
  ): Promise<PageAnswer> => {
    const answer = await request(`${baseUrl}${path}`, { dispatcher, method, body, headers })
    return { status: answer.statusCode, headers: answer.headers, html: await answer.body.text() }
  }
  return {
    get: (path, headers = {}) => send('GET', path, headers, null),
    post: (path, form, headers) =>
      send(
        'POST',
        path,
        { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        new URLSearchParams(form as Record<string, string>).toString(),
      ),
    stop: async () => {
      await dispatcher.close()
      await service.stop()
    },
  }
}
