import type { RegistrationFailure } from '../../application/accounts/register-user.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import type { Throttled } from '../../application/throttling/throttle.ts'
import type { ApplicationRequest } from '../../domain/application.ts'
import { failureText, type Refusal } from '../cli/application-failures.ts'
import type { Settings } from '../config/settings.ts'

/** Returns why the options of `startForTests` refuse an application, as the command says it, with the names of the options. */
export const applicationRefused =
  (name: string, request: Partial<ApplicationRequest>, settings: Settings) =>
  (failure: Refusal | StoreUnavailable): string =>
    `startForTests cannot make its application ${name}. ${
      failure._tag === 'StoreUnavailable'
        ? failure.reason
        : failureText(
            request,
            settings,
          )(failure).replaceAll(/--([a-z0-9-]+)/g, (_, option) => inCamelCase(option))
    }`

/** `redirect-uri`, which a command takes several times, is `redirectUris`. */
const inCamelCase = (option: string): string =>
  option.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()).replace(/Uri$/, 'Uris')

/** Returns why the user of `startForTests` cannot be made. Its password is random and long, so only a rule of the caller refuses it. */
export const userRefused = (failure: RegistrationFailure | Throttled): string =>
  `startForTests cannot make its user. ${
    'problems' in failure
      ? `A password rule refuses its random password (${failure.problems.join(', ')}). Change passwordRules or PASSWORD_* in settings.`
      : 'reason' in failure
        ? `${failure.reason}.`
        : 'The machine is overloaded. Try again.'
  }`
