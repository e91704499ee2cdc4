import type { Condition, KubeObject } from '../../model/kinds.ts';
import type { AddressedCondition } from '../address.ts';
import { addressed, partConditions } from '../placed-conditions.ts';
import { ageOf } from '../time.ts';
import type { World } from '../world.ts';
import { byText } from '../../model/order.ts';
import { ASIDE, COUNTED, LISTED, PLATITUDE, polarityOf, SUMMARY, SUMMED, TAKEN, TURNED_DOWN } from './conditions.ts';

/** Seconds that a thing which should be ready may say that it does not know. */
export const UNKNOWN_FOR = 600;

/** Stalled and its like first, then the summing-up condition, then the rest, unless the sum is good. */
export function worstOf(world: World, conditions: readonly AddressedCondition[]): AddressedCondition | null {
  const judged = inOrder(conditions.filter((condition) => condition.current)).map((condition) => ({ condition, polarity: polarityOf(condition.type) }));
  const bad = judged.find(({ condition, polarity }) => polarity === 'bad' && (condition.status === 'True' || isBareError(condition)));
  const failing = judged.filter(
    ({ condition, polarity }) =>
      (polarity === 'good' || (polarity === '' && (TURNED_DOWN.test(condition.reason) || isFinal(world, condition)))) &&
      (condition.status === 'False' || (condition.status === 'Unknown' && isLongUnknown(world, condition))),
  );
  const sum = failing.find(({ condition }) => SUMMARY.has(condition.type));
  // Flux: Stalled says how often it was tried, Ready what came of it.
  if (bad) return sum && sum.condition.message !== '' && COUNTED.test(bad.condition.message) ? { ...sum.condition, since: bad.condition.since } : bad.condition;
  if (sum)
    return (
      namedBy(sum.condition, conditions) ??
      mostTelling(
        sum.condition,
        failing.map(({ condition }) => condition),
        conditions,
      )
    );
  const well = judged.some(({ condition }) => SUMMARY.has(condition.type) && condition.status === 'True');
  return failing.find(({ condition }) => !well || ASIDE.has(condition.type))?.condition ?? null;
}

// A type of unknown meaning, False for the reason of an error, is good news under no name.
const FAULT = /^(?:Failed|Error|Invalid)(?=[A-Z]|$)|(?:Failed|Failing|Failure|Error|ErrorOccurred|Denied|Forbidden|NotFound)$/;

/** It says so itself, or its words are known and no waiting ends it: Kueue's QuotaReserved=False where the job asks more than there is, not while it waits its turn. */
const isFinal = (world: World, { status, reason, message }: AddressedCondition): boolean =>
  status === 'False' && message !== '' && (FAULT.test(reason) || world.classify('components', message).permanence === 'permanent');

/** Their order in the list means nothing: those with words of their own come first, then what was so first. */
function inOrder(conditions: readonly AddressedCondition[]): AddressedCondition[] {
  const wordless = ({ message }: AddressedCondition): number => Number(message === '' || PLATITUDE.test(message));
  return [...conditions].sort((a, b) => wordless(a) - wordless(b) || byText(a.since, b.since) || byText(a.type, b.type));
}

/** What one of its parents or controllers says, where nobody sums up. */
export function turnedDown(object: KubeObject): AddressedCondition | null {
  const bad = partConditions(object).filter(({ condition }) => TAKEN.has(condition.type ?? '') && condition.status === 'False');
  // What it refers to is why it is not accepted.
  const place = bad.find(({ condition }) => condition.type === 'ResolvedRefs') ?? bad[0];
  return place ? addressed(object, place) : null;
}

/** Argo CD lists errors and warnings as conditions that have no status: that they are there is what they say. */
export const isBare = ({ message, evidence }: AddressedCondition): boolean => message !== '' && (evidence.value as Condition | null)?.status === undefined;

const isBareError = (condition: AddressedCondition): boolean => condition.type.endsWith('Error') && isBare(condition);

/** Argo CD: another application makes the same object. Where it is in step nothing comes of that. */
export const sharedWith = (conditions: readonly AddressedCondition[], { sync }: { sync?: { status?: unknown } }): AddressedCondition | null =>
  sync?.status === 'OutOfSync' ? (conditions.find((condition) => condition.type === 'SharedResourceWarning' && isBare(condition)) ?? null) : null;

/** Tekton gives up on what it fetches after a minute (config-resolvers, fetch-timeout). */
const FETCHES = /^Resolving[A-Z]/;

/** A run (Succeeded) is Unknown while it runs, and not while it is only fetched; a thing that should be ready is not for ever Unknown. */
const isLongUnknown = (world: World, condition: AddressedCondition): boolean =>
  (['Ready', 'Available', 'Synced', 'Healthy'].includes(condition.type) || FETCHES.test(condition.reason)) &&
  (ageOf(world.now, condition.since) ?? 0) > UNKNOWN_FOR;

/** cert-manager: Ready=False, reason Denied, beside a condition Denied=True that says by what policy. */
function namedBy(sum: AddressedCondition, conditions: readonly AddressedCondition[]): AddressedCondition | null {
  const found = conditions.find(
    (condition) =>
      condition !== sum &&
      condition.message !== '' &&
      ((condition.type === sum.reason && condition.status === 'True') ||
        // CDI: Ready=False, reason Error, without a word, and Running=False, reason Error, with them.
        (sum.message === '' && sum.reason !== '' && condition.reason === sum.reason && condition.status === sum.status)),
  );
  return found ? { ...found, since: sum.since } : null;
}

/** The sum often says only that a part is not ready; the part then tells why. */
function mostTelling(sum: AddressedCondition, failing: readonly AddressedCondition[], all: readonly AddressedCondition[]): AddressedCondition {
  const sumsUp = (message: string): boolean => SUMMED.test(message) || LISTED.test(message);
  const tells = ({ type, message }: AddressedCondition): boolean => !SUMMARY.has(type) && message !== '' && !sumsUp(message);
  // A list names those that are not known yet, too: `Initialized=Unknown`.
  const listed = (): AddressedCondition | undefined =>
    LISTED.test(sum.message)
      ? all.find((each) => tells(each) && each.status !== 'True' && sum.message.split(', ').includes(`${each.type}=${each.status}`))
      : undefined;
  if (sumsUp(sum.message)) return failing.find(tells) ?? listed() ?? sum;
  return sum.message !== '' && !PLATITUDE.test(sum.message) ? sum : (failing.find(({ message }) => message !== '' && !PLATITUDE.test(message)) ?? sum);
}
