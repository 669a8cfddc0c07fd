#include "guided.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <new>
#include <stdexcept>

#include "guided_run.hpp"

namespace threesil {

namespace {

constexpr uint32_t kApart = 1u << 20;  // variables of the right side are renamed by this

Limits limits_of(const SearchLimits& limits) {
    Limits result;
    result.steps = kHuge;
    result.variables = kHuge;
    result.bank_terms = std::min<uint64_t>(limits.terms, kHuge);
    return result;
}

}  // namespace

GuidedSearch::Run::Run(const GuidedSearch& search, const std::vector<int32_t>& codes,
                       const SearchLimits& limits, const Draw& draw, Control& control)
    : search_(search),
      limits_(limits),
      draw_(draw),
      control_(control),
      worker_(search.rules_,
              std::make_shared<Problems>(search.rules_, std::vector<Problem>{{codes, {}}}),
              limits_of(limits), false, search.self_check_),
      policy_(search.net_, worker_, 1),
      unifier_(worker_.bank(), false),
      equalities_(*search.rules_, worker_.bank()) {
    worker_.bank().control = &control;
}

// The whole equation with one side replaced.
TermId GuidedSearch::Run::state_of(uint32_t s, TermId term) {
    TermId args[2] = {ends_[0], ends_[1]};
    assert(s < 2 && worker_.bank().ground(ends_[0]) && worker_.bank().ground(ends_[1]));
    args[s] = term;
    return worker_.bank().make(static_cast<Head>(search_.rules_->equality), args, 2);
}

// A term with its introduced variables numbered by first occurrence, from `offset` on.
TermId GuidedSearch::Run::renamed(TermId root, uint32_t offset) {
    TermBank& bank = worker_.bank();
    if (bank.ground(root)) return root;
    names_.clear();
    std::vector<int32_t> codes;
    bank.write(root, codes);
    for (int32_t& code : codes) {
        if (code >= 0) continue;
        const auto old = static_cast<uint32_t>(-(code + 1));
        auto it = std::find_if(names_.begin(), names_.end(),
                               [old](const auto& name) { return name.first == old; });
        if (it == names_.end()) {
            names_.emplace_back(old, static_cast<uint32_t>(names_.size()) + offset);
            it = names_.end() - 1;
        }
        code = -static_cast<int32_t>(it->second) - 1;
    }
    return bank.read(codes);
}

bool GuidedSearch::Run::unify(TermId open, TermId other) {
    const TermBank& bank = worker_.bank();
    bank.spend();
    const auto mine = bank.args(open), theirs = bank.args(other);
    if (bank.head(open) == bank.head(other))
        for (size_t k = 0; k < mine.size(); ++k) {
            const Head a = bank.head(mine[k]), b = bank.head(theirs[k]);
            if (a != b && !is_variable(a) && !is_variable(b)) return false;
        }
    return unifier_.unify(open, other);
}

// Whether a new node meets the other frontier; remembers where.
bool GuidedSearch::Run::meets(uint32_t s, uint32_t node) {
    const TermBank& bank = worker_.bank();
    const TermId term = sides_[s].nodes[node].term;
    const Side& other = sides_[1 - s];
    meeting_[s] = node;
    if (bank.ground(term)) {
        if (term < other.node_of.size() && other.node_of[term] != kNone) {
            meeting_[1 - s] = other.node_of[term];
            return true;
        }
    }
    const auto among = [&](const std::vector<std::vector<uint32_t>>& lists, TermId mine) {
        const Head head = bank.head(mine);
        for (size_t h = 0; h < lists.size(); ++h) {
            // The last list has the terms that are variables; so does a variable fit everywhere.
            if (!is_variable(head) && h != std::min<size_t>(head, lists.size() - 2) &&
                h != lists.size() - 1)
                continue;
            for (const uint32_t n : lists[h])
                if (unify(mine, other.nodes[n].term)) {
                    meeting_[1 - s] = n;
                    return true;
                }
        }
        return false;
    };
    if (bank.ground(term)) return among(other.open, term);
    return among(other.closed, term) || among(other.open, renamed(term, kApart));
}

bool GuidedSearch::Run::add(uint32_t s, TermId term, const Node& node) {
    Side& side = sides_[s];
    const TermBank& bank = worker_.bank();
    if (term >= side.node_of.size()) side.node_of.resize(bank.size() + bank.size() / 2, kNone);
    if (side.node_of[term] != kNone) return false;
    const auto index = static_cast<uint32_t>(side.nodes.size());
    assert(node.parent == kNone || node.parent < index);
    side.node_of[term] = index;
    side.nodes.push_back(node);
    side.nodes.back().term = term;
    auto& lists = bank.ground(term) ? side.closed : side.open;
    const size_t rows = search_.rules_->arity.size() + 2;  // symbols, constants, variables
    lists.resize(rows);
    const Head head = bank.head(term);
    lists[is_variable(head) ? rows - 1 : std::min<size_t>(head, rows - 2)].push_back(index);
    return true;
}

// Evaluates all positions of new nodes together and queues their rewrites.
void GuidedSearch::Run::judge(const std::vector<Fresh>& fresh) {
    const TermBank& bank = worker_.bank();
    size_t used = 0;
    size_t length = 0;  // of all paths: as many as terms may be in memory
    std::vector<size_t> first;
    above_.clear();
    for (const Fresh& item : fresh) {
        first.push_back(used);
        const TermId term = sides_[item.side].nodes[item.node].term;
        const TermId state = state_of(item.side, term);
        // Breadth first: the position above has been listed before.
        for (size_t p = first.back(); p == first.back() || p < used; ++p) {
            if (p == used) {
                if (used == positions_.size()) positions_.emplace_back();
                Episode& root = positions_[used++];
                root.term = state;
                root.path.assign(1, item.side);
                root.spine.assign({state, term});
                above_.push_back(0);
            }
            const TermId here = positions_[p].spine.back();
            const auto args = bank.args(here);
            for (uint32_t k = 0; k < args.size(); ++k) {
                if (!search_.rules_->enter_leaves && bank.args(args[k]).empty()) continue;
                if (used == positions_.size()) positions_.emplace_back();
                bank.spend(1 + positions_[p].path.size() / 4);
                length += positions_[p].path.size();
                if (length > limits_.terms) throw Ended{Status::memory};
                Episode& below = positions_[used++];
                below.term = state;
                below.path = positions_[p].path;
                below.path.push_back(k);
                below.spine = positions_[p].spine;
                below.spine.push_back(args[k]);
                above_.push_back(static_cast<uint32_t>(p - first.back()));
            }
        }
    }
    first.push_back(used);
    assert(above_.size() == used && first.size() == fresh.size() + 1);
    std::vector<const Episode*> pointers;
    for (size_t p = 0; p < used; ++p) pointers.push_back(&positions_[p]);
    const std::vector<size_t> slots(used, 0);
    const std::vector<uint64_t> numbers(used, draw_.episode);
    const float* logits = policy_.logits(pointers, slots, numbers, draw_.key);
    for (size_t i = 0; i < fresh.size(); ++i)
        queue_rewrites(fresh[i], first[i], first[i + 1] - first[i],
                       logits + first[i] * policy_.outputs());
}

void GuidedSearch::Run::queue_rewrites(const Fresh& item, size_t first, size_t count,
                                       const float* logits) {
    const Rules& rules = *search_.rules_;
    assert(item.side < 2 && item.node < sides_[item.side].nodes.size());
    const Node node = sides_[item.side].nodes[item.node];
    reach_.assign(count, 0.0f);
    mask_.resize(rules.mask_words());
    const float noise = search_.options_.noise;
    const TermBank& bank = worker_.bank();
    const auto size = [&bank](TermId term) { return static_cast<float>(bank[term].size); };
    const float own_cost = std::log(static_cast<float>(node.depth + 2)) +
                           search_.options_.size_cost * (size(node.term) - size(ends_[item.side]));
    size_t below = 1;  // the next position whose parent is to come: they stand breadth first
    for (size_t p = 0; p < count; ++p) {
        bank.spend();
        const Episode& position = positions_[first + p];
        if (!worker_.mask(position, mask_.data()) || reach_[p] == -INFINITY) {
            for (; below < count && above_[first + below] == p; ++below) reach_[below] = -INFINITY;
            continue;
        }
        const float* row = logits + p * policy_.outputs();
        const auto each = [&](auto&& visit) {
            for (size_t w = 0; w < mask_.size(); ++w)
                for (MaskWord left = mask_[w]; left; left &= left - 1)
                    visit(static_cast<uint16_t>(64 * w +
                                                static_cast<size_t>(std::countr_zero(left))));
        };
        float best = -INFINITY;
        size_t legal = 0;
        each([&](uint16_t a) {
            best = std::max(best, row[search_.outputs_[a]]);
            ++legal;
        });
        double total = 0;
        each([&](uint16_t a) { total += std::exp(row[search_.outputs_[a]] - best); });
        const auto log_probability = [&](uint16_t a) {
            const double share = std::exp(row[search_.outputs_[a]] - best) / total;
            return static_cast<float>(
                std::log((1 - noise) * share + noise / static_cast<double>(legal)));
        };
        for (; below < count && above_[first + below] == p; ++below) {
            const uint32_t argument = positions_[first + below].path.back();
            const uint16_t move =
                argument < search_.moves_.size() ? search_.moves_[argument] : kNoMove;
            const bool legal_move = move != kNoMove && (mask_[move / 64] >> move % 64 & 1);
            reach_[below] = legal_move ? reach_[p] + log_probability(move) : -INFINITY;
        }
        const auto path = static_cast<uint32_t>(paths_.size());
        paths_.insert(paths_.end(), position.path.begin(), position.path.end());
        each([&](uint16_t a) {
            if (rules.actions[a].move) return;
            const float sum = node.log_probability + reach_[p] + log_probability(a);
            choices_.push({own_cost - sum, order_++, item.side, item.node, path,
                           static_cast<uint32_t>(position.path.size()), sum, a});
        });
    }
}

// An episode with the cursor at the root of a state.
void GuidedSearch::Run::begin(Episode& episode, TermId state) {
    episode.actions.clear();
    episode.visited.clear();
    episode.end = End::running;
    episode.masked = false;
    episode.term = state;
    episode.spine.assign(1, state);
    episode.path.clear();
}

// Does the cheapest rewrites until some new nodes wait for the network; true if the sides meet.
bool GuidedSearch::Run::take(std::vector<Fresh>& fresh, bool to_the_end) {
    TermBank& bank = worker_.bank();
    while (fresh.size() < kBatch && !choices_.empty()) {
        bank.spend();
        const Choice choice = choices_.top();
        choices_.pop();
        assert(choice.path + choice.length <= paths_.size());
        const Node node = sides_[choice.side].nodes[choice.node];
        begin(scratch_, state_of(choice.side, node.term));
        scratch_.path.assign(paths_.begin() + choice.path,
                             paths_.begin() + choice.path + choice.length);
        for (const uint32_t k : scratch_.path)
            scratch_.spine.push_back(bank.arg(scratch_.spine.back(), k));
        worker_.step(scratch_, choice.action);
        if (scratch_.end != End::running && scratch_.end != End::solved) continue;
        const TermId term = renamed(bank.arg(scratch_.term, choice.side), 0);
        if (bank[term].size > largest_ || bank[term].bound > search_.options_.variables) continue;
        const auto index = static_cast<uint32_t>(sides_[choice.side].nodes.size());
        const Node next{term,        choice.node,   node.depth + 1, choice.log_probability,
                        choice.path, choice.length, choice.action};
        const bool is_new = add(choice.side, term, next);
        if (!to_the_end && ((is_new && meets(choice.side, index)) || shows(choice.side, next)))
            return true;
        if (is_new) fresh.push_back({choice.side, index});
    }
    return false;
}

bool GuidedSearch::Run::search(bool to_the_end) {
    TermBank& bank = worker_.bank();
    Episode start;
    worker_.reset(start, 0);
    for (uint32_t s = 0; s < 2; ++s) {
        ends_[s] = bank.arg(start.term, s);
        largest_ = std::max(largest_, bank[ends_[s]].size + search_.options_.growth);
    }
    equalities_.begin(ends_[0], ends_[1]);
    std::vector<Fresh> fresh;
    for (uint32_t s = 0; s < 2; ++s) {
        add(s, ends_[s], {ends_[s], kNone, 0, 0.0f, 0, 0, 0});
        fresh.push_back({s, 0});
    }
    bool met = start.end == End::solved;
    while (!met && !fresh.empty()) {
        bank.spend();
        if (result_.expansions >= limits_.expansions) throw Ended{Status::expansions};
        if (bank.size() > limits_.terms || choices_.size() > 4 * limits_.terms ||
            paths_.size() >= kNone / 2)
            throw Ended{Status::memory};
        fresh.resize(std::min<uint64_t>(fresh.size(), limits_.expansions - result_.expansions));
        judge(fresh);
        result_.expansions += fresh.size();
        fresh.clear();
        met = take(fresh, to_the_end);
    }
    return met;
}

bool GuidedSearch::Run::search_within_limits(bool to_the_end) {
    bool met = false;
    try {
        met = search(to_the_end);
    } catch (const Ended& ended) {
        result_.status = ended.status;
    }
    result_.terms = worker_.bank().size();
    return met;
}

SearchResult GuidedSearch::Run::solve() {
    try {
        if (search_within_limits(false)) {
            control_.allow_reading();
            explain();
        }
    } catch (const Ended& ended) {
        result_.status = ended.status;
    } catch (const std::bad_alloc&) {
        result_.status = Status::memory;
    }
    return std::move(result_);
}

GuidedSearch::GuidedSearch(std::shared_ptr<const Rules> rules, std::shared_ptr<TreeNet> net,
                           std::vector<uint32_t> outputs, bool self_check)
    : rules_(std::move(rules)),
      net_(std::move(net)),
      self_check_(self_check),
      outputs_(std::move(outputs)) {
    if (rules_->goal != Goal::equation) throw std::invalid_argument("search proves equations");
    if (!net_->fits(*rules_, false))
        throw std::invalid_argument("the network belongs to another theory");
    if (outputs_.size() != rules_->actions.size())
        throw std::invalid_argument("an output for each action");
    for (const uint32_t output : outputs_)
        if (output >= net_->actions()) throw std::invalid_argument("no such output");
    for (size_t a = 0; a < rules_->actions.size(); ++a) {
        const Action& action = rules_->actions[a];
        if (!action.move) continue;
        if (action.argument >= moves_.size()) moves_.resize(action.argument + 1, kNoMove);
        moves_[action.argument] = static_cast<uint16_t>(a);
    }
}

void GuidedSearch::set_options(const GuidedOptions& options) {
    if (!(options.noise >= 0 && options.noise <= 1))
        throw std::invalid_argument("noise is a share: 0 to 1");
    if (!std::isfinite(options.size_cost))
        throw std::invalid_argument("the cost of a node is a finite number");
    if (options.variables >= kApart) throw std::invalid_argument("too many introduced variables");
    if (options.growth > SearchLimits::kMostGrowth) throw std::invalid_argument("too much growth");
    options_ = options;
}

SearchResult GuidedSearch::solve(const std::vector<int32_t>& codes, const SearchLimits& limits,
                                 const Draw& draw, Control& control) {
    return Run(*this, codes, limits, draw, control).solve();
}

std::vector<Lemma> GuidedSearch::explore(const std::vector<int32_t>& codes,
                                         const SearchLimits& limits, const Draw& draw, size_t count,
                                         Head first_free, Control& control) {
    if (first_free < rules_->arity.size() || first_free > kHuge)
        throw std::invalid_argument("free variables become constants behind the symbols");
    return Run(*this, codes, limits, draw, control).explore(count, first_free);
}

}  // namespace threesil
