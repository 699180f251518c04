/*
 * What becomes of one row that must take effect once: intent, request, outcome, look-up, and the fence.
 *
 * The row is a create without a slug, which the service carries out as often as it is asked to. An update that mails
 * and an invitation are like it: what must not happen twice is then the mail.
 *
 * Two workers carry the row, one after another. The lease of its owner says whose turn it is, and each turn has an
 * epoch of its own. At any step a worker may die and lose what it remembers, be stopped for as long as it takes, or be
 * taken for dead and be succeeded while it lives. A request may be lost on its way, or be at work after its sender has
 * died; its answer may be lost; a list does not tell at once of what was made.
 *
 * What is shown, of every order in which that can happen:
 *
 *   - the row takes effect at most once                          assert(effects <= 1)
 *   - an outcome that is on record is true                       assert(effects == 1)
 *   - in the end, always, the row is done and has taken effect   assert(status == done && effects == 1)
 *
 * Nothing goes round in circles: what goes wrong is counted (CRASHES, STEALS, LOSSES, STALLS), so each history has an
 * end, which the last assertion is about. pan -l shows that there is no circle.
 *
 * Each safeguard can be left out by a macro, and then one of the assertions fails:
 *
 *   UNSYNCED         the request leaves before its intent is stored
 *   NO_FENCE         what is stored is stored by whoever wants to
 *   NO_LOOK          a request whose answer was lost is made again at once
 *   OWN_EARLY        its sender looks for it at once
 *   SUCCESSOR_EARLY  whoever takes over looks for it at once
 *   ONCE             what a list lacks is believed at once, though lists lag
 *   NO_DEADLINE      a worker that was stopped with an intent sends it when it goes on
 *   LATE             it sends it as late as a request may be at work altogether, so that it still is at work after that
 *   DOUBT_IS_DONE    a request whose answer was lost is taken for done
 *   NEVER_FREE       the lease of a worker that has died is never free
 *
 * The words are those of the code. Names in backquotes are of packages, and are checked by a test.
 *
 *   worker, idle     a lease is taken: `work.carry`, `postgres.lease`; from one that hangs: `postgres.succeed`. The epoch
 *                    grows as the share is taken, `postgres.takeShare`, and what is on record is read after that
 *   intent           `send.attempt` commits `send.intent`; `postgres.Commit` returns once it is stored
 *   FENCE            `postgres.storeSQL` compares the epochs in the statement that stores; who is fenced gets a
 *                    `journal.FencedError` and ends
 *   leaving          `send.attempt` asks how long it has `send.slept`; the connection has a write deadline, which
 *                    `api.exchange` sets: both are `api.Leaves` after the intent, half of `api.Flight`
 *   answer           `send.carry` goes by its class: ok is `api.Done`, no is `api.NotDone`, a lost one `api.InDoubt`
 *   look             `send.waitOut` until `api.Whole` after the intent, or after the lease was taken; then `send.byLikeness`
 *                    lists, and lists again `api.Settle` later
 *   none, finish     the outcome, which `journal.Append` stores within a second: until then it can be lost
 *   platform, lag    what `api.Lag` says of the service
 *
 * Not modelled: what people do on the platform meanwhile, answers with the id of another event (`send.believe`), and
 * machines that stand still with their clocks, which is why `send.slept` asks the clock on the wall too.
 */

/* Durations, in ticks. A request leaves LEAVES after its intent at the latest, and is at work for WORK. */
#define SETTLE 1
#define WORK 1
#ifdef LATE
#define LEAVES 2
#define FLIGHT 2
#else
#define LEAVES 1
#define FLIGHT (LEAVES + WORK)
#endif
#define WHOLE (FLIGHT + SETTLE)
#define LAG (2 * SETTLE) /* of lists: what two looks, SETTLE apart, bear */

/* How often something may go wrong in one history. */
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef STEALS
#define STEALS 2 /* a living worker is succeeded */
#endif
#ifndef LOSSES
#define LOSSES 2 /* of requests and answers */
#endif
#ifndef STALLS
#define STALLS 2 /* for so long that an intent must not be sent any more */
#endif
byte crashes = CRASHES, steals = STEALS, losses = LOSSES, stalls = STALLS;

mtype = { pending, sent, done };
mtype = { nothing, ok, no };

/* What the store has: the row, and the lease. */
#define NOBODY 2
mtype status = pending;
byte epoch, holder = NOBODY;

/* What the platform has: the effects, and for how long lists may lack them. */
byte effects, unlisted;

/* Requests that are on their way or at work: for how long still at most, and who waits for the answer. */
#define REQUESTS 3
bool under[REQUESTS];
byte due[REQUESTS], by[REQUESTS] = NOBODY;

/* What a worker has: the answer, an intent that has not left, and how long ago it was (or the lease was taken, or the
 * row was looked for). */
mtype answer[2] = nothing;
bool leaving[2];
byte since[2] = WHOLE, looked[2] = SETTLE;

#ifdef NO_FENCE
#define FENCE true
#else
#define FENCE (epoch == mine)
#endif

/* The worker does not wait for an answer any more. */
inline abandon() {
	answer[me] = nothing;
	slot = 0;
	do
	:: slot < REQUESTS -> if :: by[slot] == me -> by[slot] = NOBODY :: else fi; slot++
	:: else -> slot = 0; break
	od
}

inline forget() {
	abandon(); leaving[me] = false; since[me] = WHOLE; looked[me] = SETTLE; lost = false; known = pending; mine = 0
}

inline dies() {
	atomic {
		crashes > 0 -> crashes--;
#ifndef NEVER_FREE
		if :: holder == me && epoch == mine -> holder = NOBODY :: else fi;
#endif
		forget()
	}
}

inline fenced() { atomic { !FENCE -> forget() } }

/* It is too late for the intent. */
inline late() { atomic { since[me] > LEAVES -> stalls = stalls - (stalls > 0 -> 1 : 0); leaving[me] = false } }

inline list() {
	if
	:: effects > 0 -> found = true
	:: effects == 0 || unlisted > 0 -> found = false
	fi
}

proctype worker(byte me) {
	byte mine, slot;
	mtype known = pending; /* of the row */
	bool found, lost;

end_idle:
	atomic {
		status != done && (holder == NOBODY || holder != me && steals > 0) ->
		if :: holder == NOBODY :: else -> steals-- fi;
		holder = me; epoch++; mine = epoch; since[me] = 0
	}
	known = status;
	if
	:: known == done -> goto over
	:: known == sent -> goto look
	:: known == pending
	fi;

intent:
	atomic { since[me] = 0; leaving[me] = true }
	if
	:: dies() -> goto end_idle
	:: fenced() -> goto end_idle
#ifdef UNSYNCED
	:: FENCE
#else
	:: atomic { FENCE -> status = sent }
#endif
	fi;

	if /* before it asks for a connection */
	:: dies() -> goto end_idle
	:: late() -> goto none
	:: since[me] <= LEAVES
	fi;
	if /* as it writes */
	:: dies() -> goto end_idle
#ifdef NO_DEADLINE
	:: atomic { true ->
#else
	:: late() -> goto none
	:: atomic { since[me] <= LEAVES ->
#endif
		leaving[me] = false;
		do :: slot < REQUESTS && under[slot] -> slot++ :: else -> break od;
		under[slot] = true; by[slot] = me; due[slot] = WORK; slot = 0
	   }
	fi;
#ifdef UNSYNCED
	if
	:: dies() -> goto end_idle
	:: fenced() -> goto end_idle
	:: atomic { FENCE -> status = sent }
	fi;
#endif

	if
	:: dies() -> goto end_idle
	:: atomic { answer[me] == ok -> answer[me] = nothing; goto finish }
	:: atomic { answer[me] == no -> answer[me] = nothing; goto none }
	:: atomic { losses > 0 -> losses--; abandon(); lost = true } /* it may be on its way still */
	fi;
#ifdef DOUBT_IS_DONE
	goto finish;
#endif

look:
#ifdef NO_LOOK
	goto intent;
#endif
	if
	:: dies() -> goto end_idle
#ifdef OWN_EARLY
	:: lost
#else
	:: lost && since[me] >= WHOLE
#endif
#ifdef SUCCESSOR_EARLY
	:: !lost
#else
	:: !lost && since[me] >= WHOLE
#endif
	fi;
	atomic { list(); if :: found -> goto finish :: else fi; looked[me] = 0 }
#ifndef ONCE
	if
	:: dies() -> goto end_idle
	:: looked[me] >= SETTLE
	fi;
	atomic { list(); if :: found -> goto finish :: else fi }
#endif
	lost = false;
	goto intent;

none: /* nothing has happened */
	if
	:: dies() -> goto end_idle
	:: fenced() -> goto end_idle
	:: atomic { FENCE -> status = pending; goto intent }
	fi;

finish:
	if
	:: dies() -> goto end_idle
	:: fenced() -> goto end_idle
	:: atomic { FENCE -> status = done; assert(effects == 1) }
	fi;
over:
	atomic { if :: epoch == mine -> holder = NOBODY :: else fi; forget(); goto end_idle }
}

inline reply(what) {
	if :: by[n] != NOBODY -> answer[by[n]] = what :: else fi;
	under[n] = false; due[n] = 0; by[n] = NOBODY
}

/* What becomes of a request. One that is lost on its way is answered like one that is turned away, or not at all. */
proctype platform(byte n) {
end_quiet:
	do
	:: atomic { under[n] -> effects++; assert(effects <= 1); unlisted = LAG; reply(ok) }
	:: atomic { under[n] && losses > 0 -> losses--; reply(no) }
	od
}

/* Time goes by while anything waits for it, but for no longer than a request may be at work or a worker be stopped. */
#define RIPE(n) (under[n] && due[n] == 0)
#define AWAKE(w) (leaving[w] && since[w] >= LEAVES && stalls == 0)
#define LESS(x, when) x = x - (when -> 1 : 0)
#define MORE(x, most) x = x + (x < most -> 1 : 0)

proctype clock() {
end_still:
	do
	:: atomic {
		!RIPE(0) && !RIPE(1) && !RIPE(2) && !AWAKE(0) && !AWAKE(1) &&
		(under[0] || under[1] || under[2] || unlisted > 0 || since[0] < WHOLE || since[1] < WHOLE ||
			looked[0] < SETTLE || looked[1] < SETTLE) ->
		LESS(due[0], under[0]); LESS(due[1], under[1]); LESS(due[2], under[2]); LESS(unlisted, unlisted > 0);
		MORE(since[0], WHOLE); MORE(since[1], WHOLE); MORE(looked[0], SETTLE); MORE(looked[1], SETTLE)
	   }
	od
}

init {
	atomic { run worker(0); run worker(1); run platform(0); run platform(1); run platform(2); run clock() }
	timeout -> assert(status == done && effects == 1)
}
