/// \file
/// What lanes do that have parted, up to where all of them meet.
#pragma once

#include "simt/executor/accesses/cursors.h"
#include "simt/executor/accesses/requests.h"
#include "simt/executor/worker/worker.h"

namespace simt {

/// Replays what the lanes of these cursors did, who have all just taken `last` and part now. It
/// goes on as a GPU would have: see CodeFlow for where they meet. Where some have meeting points
/// ahead, those who have none have returned: once all of these have ended, it stops behind the next
/// such point.
void take_parted(const Audience& audience, Worker& worker, Cursors& cursors, Event last);

}  // namespace simt
