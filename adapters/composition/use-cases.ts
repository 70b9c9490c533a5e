import { isNone, none, some, toUndefined } from 'fp-ts/lib/Option.js'
import { evenTiming } from '../../application/passwords/even-timing.ts'
import { slowestSchemes } from '../../application/passwords/slowest-schemes.ts'
import { operatorUseCases } from '../../application/use-cases/operators.ts'
import { pageUseCases } from '../../application/use-cases/pages.ts'
import { requestUseCases } from '../../application/use-cases/requests.ts'
import { hostOf, pagesOriginOf, type Settings } from '../config/settings.ts'
import { loadKeyCheck } from '../credentials/passkeys/key-check.ts'
import { ed25519Notes } from '../credentials/signing/notes.ts'
import { nodeTreeDigests } from '../node/environment.ts'
import { logFolder } from '../node/log-files.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'
import { passwordRecordReader } from './security.ts'

/** What all use cases need. */
const COMMON = {
  ...needs('clock', 'digests', 'findWeakness', 'formats', 'random', 'settings', 'store', 'throttle', 'timer'),
  hasher: Dependency.passwordHasher,
  record: Dependency.recorder,
  wrapping: Dependency.keyWrapping,
}

/** The product name of the pages, or the host. */
const serviceName = (settings: Settings): string => settings.pages?.name ?? hostOf(settings)

/** The use cases of the HTTP routes, of the pages and of the command line. */
export const useCases: ReadonlyArray<Module> = [
  provide(
    Dependency.evenTiming,
    { ...needs('store', 'background', 'timer'), hasher: Dependency.passwordHasher },
    (needed) => evenTiming({ ...needed, schemes: slowestSchemes(needed) }),
  ),
  provide(
    Dependency.passkeys,
    { ...needs('sealing', 'settings'), verifier: Dependency.passkeyVerifier },
    ({ settings, sealing, verifier }) => {
      const { passkeyRpId: rpId } = settings
      return rpId === undefined || isNone(sealing) || isNone(verifier)
        ? none
        : some({ verifier: verifier.value, sealing: sealing.value, rpId, rpName: serviceName(settings) })
    },
  ),
  provide(
    Dependency.useCases,
    {
      ...COMMON,
      ...needs(
        'authenticate',
        'authenticateApplication',
        'background',
        'evenTiming',
        'keyring',
        'logWaiters',
      ),
      ...needs('passkeys', 'publishedLog', 'refusals', 'sealing', 'validateToken'),
    },
    ({ settings, passkeys, sealing, ...others }) => {
      const needed = {
        ...others,
        passkeys: toUndefined(passkeys),
        sealing: toUndefined(sealing),
        settings: {
          ...settings,
          issuer: settings.publicUrl,
          serviceName: serviceName(settings),
          pagesOrigin: pagesOriginOf(settings),
        },
      }
      const ofRequests = requestUseCases(needed)
      return { ...ofRequests, ...pageUseCases(needed, ofRequests) }
    },
  ),
  provide(
    Dependency.operations,
    {
      ...COMMON,
      ...needs('failureCounts', 'passwordEstimator', 'storage'),
      policy: Dependency.passwordPolicy,
    },
    ({ failureCounts, passwordEstimator, storage, ...needed }) => {
      const { store, policy } = needed
      const settings = { ...needed.settings, passwordPolicy: policy }
      return {
        settings,
        store,
        serverNotes: storage.serverNotes,
        storeCopy: storage.storeCopy,
        passwordHasher: needed.hasher,
        formats: needed.formats,
        keyWrapping: needed.wrapping,
        ...operatorUseCases({
          ...needed,
          publicUrl: settings.publicUrl,
          notes: ed25519Notes(settings.eventLogKeys),
          treeDigests: nodeTreeDigests,
          filesIn: logFolder,
          readPasswordRecord: passwordRecordReader(settings),
          loadKeyCheck,
        }),
        close: async () => {
          await passwordEstimator.close()
          await failureCounts.close()
          await store.close()
        },
      }
    },
  ),
]
