import type { Environment } from '../../adapters/config/settings.ts'
import type { Module } from '../../adapters/index.ts'
import type { ClientRequest } from '../../domain/redirect-uris.ts'
import { type PagesService, startPages } from '../account-pages/pages-service.ts'
import { freePort } from '../support/command.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'

/** A client of the provider. */
export type TestClient = Readonly<{ id: string; secret: string; redirectUri: string; logoutUri: string }>

/** An OpenID provider on a real socket, whose issuer is its address. */
export type OpenIdService = Readonly<{
  pages: PagesService
  issuer: string
  /** Registers an application that is a client. */
  client: (
    name?: string,
    more?: Partial<ClientRequest> & Readonly<Record<string, unknown>>,
  ) => Promise<TestClient>
}>

export const startOpenId = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<OpenIdService> => {
  const port = environment.PORT ?? (await freePort())
  const issuer = environment.PUBLIC_URL ?? `http://127.0.0.1:${port}`
  const pages = await startPages(
    { OPENID: 'on', SECOND_FACTORS: 'on', PUBLIC_URL: issuer, PORT: String(port), ...environment },
    ...modules,
  )
  return {
    pages,
    issuer,
    client: async (name = 'shop', more = {}) => {
      const redirectUri = `https://${name}.example.com/callback`
      const logoutUri = `https://${name}.example.com/bye`
      const { publicApiKey, privateApiKey } = await succeed(
        pages.service.registerApplication(
          { ...CONTEXT, operator: 'ada' },
          {
            name,
            scope: '',
            redirectUris: [redirectUri],
            logoutUris: [logoutUri],
            ...more,
          },
        ),
      )
      return { id: publicApiKey.slice('pk_'.length), secret: privateApiKey, redirectUri, logoutUri }
    },
  }
}
