import { authenticateApplication } from '../../application/applications/authenticate-application.ts'
import { authenticate } from '../../application/sessions/authenticate.ts'
import { validateToken } from '../../application/sessions/validate-token.ts'
import { Dependency } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** Validates tokens and authenticates callers. */
export const authentication: ReadonlyArray<Module> = [
  provide(
    Dependency.validateToken,
    {
      store: Dependency.store,
      formats: Dependency.formats,
      keyring: Dependency.keyring,
      clock: Dependency.clock,
      settings: Dependency.settings,
    },
    ({ settings, ...needs }) => validateToken({ ...needs, issuer: settings.publicUrl }),
  ),
  provide(
    Dependency.authenticate,
    { validateToken: Dependency.validateToken, callerFailed: Dependency.callerFailed },
    authenticate,
  ),
  provide(
    Dependency.authenticateApplication,
    {
      store: Dependency.store,
      clock: Dependency.clock,
      digests: Dependency.digests,
      refusals: Dependency.refusals,
      callerFailed: Dependency.callerFailed,
    },
    authenticateApplication,
  ),
]
