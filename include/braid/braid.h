// SPDX-License-Identifier: Apache-2.0
// Everything a user of the library includes. Layer: engine.
#pragma once

#include "braid/error.h"
#include "braid/graph.h"
#include "braid/ids.h"
#include "braid/result.h"
#include "braid/value.h"
