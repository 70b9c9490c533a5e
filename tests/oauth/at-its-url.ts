import { compose, type Module, type Service } from '../../adapters/index.ts'
import { freePort } from '../support/command.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'

/** A service that listens at its public URL, for clients that need discovery. */
export type AtItsUrl = Readonly<{
  service: Service
  issuer: URL
  /** The keys of a new application, as OAuth names them. */
  register: (scope: string) => Promise<Readonly<{ client_id: string; secret: string }>>
}>

/** @param prefix the path of its public URL */
export const startAtItsUrl = async (
  prefix: string,
  environment: Readonly<Record<string, string>> = {},
  ...modules: ReadonlyArray<Module>
): Promise<AtItsUrl> => {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}${prefix}`
  const service = await compose(settings({ ...environment, PUBLIC_URL: publicUrl }), ...modules)
  await service.listen('127.0.0.1', port)
  return {
    service,
    issuer: new URL(publicUrl),
    register: async (scope) => {
      const made = await succeed(service.registerApplication(CONTEXT, { name: 'client', scope }))
      return { client_id: made.publicApiKey, secret: made.privateApiKey }
    },
  }
}
