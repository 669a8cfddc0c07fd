#include "tables.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>

namespace threesil {

TableSearch::TableSearch(uint32_t elements, std::vector<uint8_t> arity,
                         const std::vector<std::pair<Codes, Codes>>& equations,
                         const std::vector<std::pair<Codes, Codes>>& differ, uint32_t goal,
                         uint64_t laws)
    : n_(elements), goal_(goal), arity_(std::move(arity)) {
    if (n_ < 1 || n_ > kMostElements) throw std::invalid_argument("1 to 32 elements");
    laws = std::min(laws, kMostLaws);
    uint64_t cells = 0;
    for (size_t f = 0; f < arity_.size() && fits_; ++f) {
        offset_.push_back(static_cast<uint32_t>(cells));
        uint64_t size = 1;
        for (uint32_t k = 0; k < arity_[f] && size <= laws; ++k) size *= n_;
        cells += size;
        fits_ = cells <= laws;
    }
    if (!fits_) return;
    offset_.push_back(static_cast<uint32_t>(cells));
    for (size_t f = 0; f < arity_.size(); ++f)
        for (uint32_t at = 0; at < offset_[f + 1] - offset_[f]; ++at) {
            uint32_t greatest = 0;
            for (uint32_t rest = at; rest > 0; rest /= n_) greatest = std::max(greatest, rest % n_);
            owner_.push_back(static_cast<uint32_t>(f));
            greatest_.push_back(static_cast<uint8_t>(greatest));
        }
    for (const auto& sides : equations) add_law(sides, false);
    for (const auto& sides : differ) add_law(sides, true);
    // Those with few instances first: what they determine, the others find in place.
    std::stable_sort(laws_.begin(), laws_.end(),
                     [](const Law& a, const Law& b) { return a.count < b.count; });
    uint64_t total = 0;
    for (const Law& law : laws_) total += law.count;
    fits_ = total <= laws;
    if (!fits_) return;
    for (uint32_t law = 0; law < laws_.size(); ++law) {
        first_.push_back(instances_.size());
        for (uint32_t choice = 0; choice < laws_[law].count; ++choice)
            instances_.push_back({law, choice});
    }
    waiting_.resize(cells);
}

void TableSearch::add_law(const std::pair<Codes, Codes>& sides, bool differ) {
    Law law{{}, 0, 1, differ};
    for (int k = 0; k < 2; ++k) {
        const Codes& codes = k == 0 ? sides.first : sides.second;
        int64_t due = 1;
        for (const int32_t code : codes) {
            if (due == 0 || code >= static_cast<int32_t>(arity_.size()))
                throw std::invalid_argument("no term");
            if (code < 0) law.variables = std::max(law.variables, static_cast<uint32_t>(~code) + 1);
            due += (code < 0 ? 0 : arity_[static_cast<size_t>(code)]) - 1;
        }
        if (due != 0 || law.variables > kMostVariables) throw std::invalid_argument("no term");
        // Prefix read from its end, arguments in reverse, is postfix with the last argument first.
        for (size_t i = codes.size(); i-- > 0;)
            law.sides[k].push_back(
                {codes[i], codes[i] < 0 ? uint8_t{0} : arity_[static_cast<size_t>(codes[i])]});
    }
    for (uint32_t v = 0; v < law.variables; ++v) {
        if (law.count > (uint64_t{1} << 40)) break;
        law.count *= n_;
    }
    laws_.push_back(std::move(law));
}

TableSearch::Side TableSearch::evaluate(const std::vector<Op>& side) const {
    stack_.clear();
    for (const Op& op : side) {
        if (op.code < 0) {
            stack_.push_back(choice_[static_cast<size_t>(~op.code)]);
            continue;
        }
        uint32_t at = 0;
        for (uint32_t k = 0; k < op.arity; ++k) {
            at = at * n_ + stack_.back();
            stack_.pop_back();
        }
        const uint32_t cell = offset_[static_cast<size_t>(op.code)] + at;
        if (value_[cell] < 0) return {-1, cell, &op == &side.back()};
        stack_.push_back(static_cast<uint32_t>(value_[cell]));
    }
    assert(stack_.size() == 1);
    return {static_cast<int32_t>(stack_.back()), 0, false};
}

void TableSearch::mention(uint32_t element) {
    if (element < known_) return;
    trail_.push_back({Undo::mentioned, 0, known_});
    known_ = element + 1;
}

bool TableSearch::assign(uint32_t cell, uint32_t value) {
    if (value_[cell] >= 0) return static_cast<uint32_t>(value_[cell]) == value;
    if ((domain_[cell] >> value & 1) == 0) return false;
    value_[cell] = static_cast<int8_t>(value);
    trail_.push_back({Undo::assigned, cell, 0});
    if (arity_[owner_[cell]] > 0) mention(greatest_[cell]);
    mention(value);
    queue_.push_back(cell);
    return true;
}

bool TableSearch::forbid(uint32_t cell, uint32_t value) {
    if (value_[cell] >= 0) return static_cast<uint32_t>(value_[cell]) != value;
    const uint32_t left = domain_[cell] & ~(uint32_t{1} << value);
    if (left == domain_[cell]) return true;
    if (left == 0) return false;
    trail_.push_back({Undo::domain, cell, domain_[cell]});
    domain_[cell] = left;
    if (std::has_single_bit(left))
        return assign(cell, static_cast<uint32_t>(std::countr_zero(left)));
    return true;
}

void TableSearch::wait(uint32_t cell, uint32_t instance) {
    trail_.push_back({Undo::waiting, cell, 0});
    waiting_[cell].push_back(instance);
}

bool TableSearch::look(uint32_t instance) {
    const Law& law = laws_[instances_[instance].law];
    uint32_t rest = instances_[instance].choice;
    for (uint32_t v = 0; v < law.variables; ++v, rest /= n_) choice_[v] = rest % n_;
    const Side left = evaluate(law.sides[0]), right = evaluate(law.sides[1]);
    if (left.value >= 0 && right.value >= 0) return (left.value == right.value) != law.differ;
    if (left.value >= 0 || right.value >= 0) {
        const Side& open = left.value >= 0 ? right : left;
        const auto value = static_cast<uint32_t>(std::max(left.value, right.value));
        if (open.root) return law.differ ? forbid(open.cell, value) : assign(open.cell, value);
        wait(open.cell, instance);
        return true;
    }
    if (left.root && right.root && left.cell == right.cell) return !law.differ;
    wait(left.cell, instance);
    if (right.cell != left.cell) wait(right.cell, instance);
    return true;
}

bool TableSearch::propagate(Control& control) {
    while (!queue_.empty()) {
        const uint32_t cell = queue_.back();
        queue_.pop_back();
        // Looking appends to the lists of other cells only: this one has its value.
        for (const uint32_t instance : waiting_[cell]) {
            control.spend();
            if (!look(instance)) {
                queue_.clear();
                return false;
            }
        }
    }
    return true;
}

void TableSearch::undo(size_t length) {
    while (trail_.size() > length) {
        const Undo& last = trail_.back();
        switch (last.kind) {
            case Undo::assigned:
                value_[last.cell] = -1;
                break;
            case Undo::domain:
                domain_[last.cell] = last.before;
                break;
            case Undo::waiting:
                waiting_[last.cell].pop_back();
                break;
            case Undo::mentioned:
                known_ = last.before;
                break;
        }
        trail_.pop_back();
    }
}

// The open cell with the fewest values left, of those about elements that have been mentioned; of
// equals the first. The constants of goals come last where tables are given. -1 if none is open.
int64_t TableSearch::choose() const {
    int64_t best = -1, least = 0;
    for (uint32_t cell = 0; cell < value_.size(); ++cell) {
        if (value_[cell] >= 0) continue;
        int64_t cost = 32 * greatest_[cell] + std::popcount(domain_[cell]);
        if (arity_[owner_[cell]] == 0)
            cost += given_ && owner_[cell] >= goal_ ? 1 << 20 : -(1 << 20);
        else if (greatest_[cell] >= known_)
            cost += 1 << 15;
        if (best < 0 || cost < least) best = cell, least = cost;
    }
    return best;
}

bool TableSearch::activate(uint32_t law, Control& control) {
    const uint64_t end = first_[law] + laws_[law].count;
    for (uint64_t instance = first_[law]; instance < end; ++instance) {
        control.spend();
        if (!look(static_cast<uint32_t>(instance))) {
            queue_.clear();
            return false;
        }
    }
    return propagate(control);
}

void TableSearch::reset() {
    value_.assign(owner_.size(), -1);
    domain_.assign(owner_.size(), n_ == 32 ? ~uint32_t{0} : (uint32_t{1} << n_) - 1);
    for (auto& list : waiting_) list.clear();
    trail_.clear();
    queue_.clear();
    known_ = 0;
    nodes_ = 0;
    choice_.assign(kMostVariables, 0);
}

Status TableSearch::search(std::span<const int8_t> given, uint64_t nodes, Control& control) {
    assert(fits_ && given.size() == owner_.size());
    reset();
    given_ = false;
    for (uint32_t cell = 0; cell < given.size(); ++cell)
        if (given[cell] >= 0) {
            given_ = true;
            assign(cell, static_cast<uint32_t>(given[cell]));
        }
    queue_.clear();  // nothing waits yet
    struct Level {
        uint32_t cell, next, last, active;
        size_t trail;
    };
    std::vector<Level> levels;
    uint32_t active = 0;  // laws in use
    for (;;) {
        const int64_t cell = choose();
        const bool constant = cell >= 0 && arity_[owner_[static_cast<size_t>(cell)]] == 0;
        // Laws with many instances wait until there is less to find out.
        const uint64_t most = cell < 0 ? ~uint64_t{0} : constant ? n_ : kLight;
        bool sound = true;
        if (active < laws_.size() && laws_[active].count <= most) {
            sound = activate(active++, control);
            if (sound) continue;
        } else if (cell < 0) {
            return Status::proved;
        } else {
            const auto at = static_cast<uint32_t>(cell);
            const uint32_t mentioned =
                std::max<uint32_t>(known_, arity_[owner_[at]] > 0 ? greatest_[at] + 1 : 0);
            levels.push_back({at, 0, std::min(mentioned, n_ - 1), active, trail_.size()});
        }
        for (;;) {
            if (levels.empty()) return Status::exhausted;
            Level& level = levels.back();
            undo(level.trail);
            active = level.active;
            while (level.next <= level.last && (domain_[level.cell] >> level.next & 1) == 0)
                ++level.next;
            if (level.next > level.last) {
                levels.pop_back();
                continue;
            }
            if (nodes_ >= nodes) return Status::expansions;
            ++nodes_;
            if (assign(level.cell, level.next++) && propagate(control)) break;
        }
    }
}

}  // namespace threesil
